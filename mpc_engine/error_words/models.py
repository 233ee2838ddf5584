"""Words for the codes of one subject: models."""

from __future__ import annotations

from mpc_engine.error_words.rows import NOTHING, RUN, UNCHARGED, Words
from mpc_engine.error_words.rows import marked as _

TITLE = _("Models")
WORDS = {
    "MODEL_OTHER_CONFIGURATION": Words(
        _("The model was made for another study or another version of its configuration."),
        _("Nothing was taken; models handed in before are kept."),
        _("Export the model again for this study's configuration and hand it in as a new one."),
    ),
    "MODEL_NOT_READABLE": Words(
        _(
            "The model file can't be read as a model of this format: it is no JSON, too "
            "large, or has a field twice or one that is not known."
        ),
        _("Nothing was taken; models handed in before are kept."),
        _(
            "Write the file with export_model, or by the example on the page, and hand it in "
            "as a new model."
        ),
    ),
    "MODEL_COEFFICIENT_MISSING": Words(
        _("The model has no coefficient for a feature of the study, or no intercept."),
        _("Nothing was taken; models handed in before are kept."),
        _(
            "Add the coefficient that is named, 0 where the model does not use the feature, "
            "and hand it in as a new model."
        ),
    ),
    "MODEL_COEFFICIENT_UNKNOWN": Words(
        _("The model has a coefficient for a feature that the study does not have."),
        _("Nothing was taken; models handed in before are kept."),
        _("Fit the model on the study's features alone, or draft a study with that feature."),
    ),
    "MODEL_COEFFICIENT_NOT_A_NUMBER": Words(
        _("A coefficient of the model is not a finite decimal number."),
        _("Nothing was taken; models handed in before are kept."),
        _("Write the coefficient that is named as a decimal number and hand it in as a new model."),
    ),
    "MODEL_COEFFICIENT_OUT_OF_RANGE": Words(
        _("A coefficient, times the unit of its feature, is too large to be encoded."),
        _("Nothing was taken; models handed in before are kept."),
        _(
            "Scale the whole model, intercept included, by one positive factor: its decisions"
            " stay the same. Or give the feature a smaller unit in another study."
        ),
    ),
    "MODEL_OTHER_FEATURES": Words(
        _("A model was trained on other features, or other units of them, than the study has."),
        _("Nothing was taken over; the models stay where they are."),
        _(
            "Draft the certifying study with the features, units and categories of the study "
            "that trained them."
        ),
    ),
    "MODEL_UNKNOWN": Words(
        _("The party has no model of this number."),
        UNCHARGED,
        _(
            "Check the number. If the party was restored from an older backup, hand the model"
            " in again."
        ),
    ),
    "MODEL_ID_TAKEN": Words(
        _("Another model was handed in under this id."),
        _("The model that came first is kept."),
        _("Hand this one in again: the page gives it a number of its own."),
    ),
    "TAKEOVER_INVALID": Words(
        _("The signed text that hands trained models to another study is not as it should be."),
        _("Nothing was taken over; the models stay where they are."),
        _("Hand them over from the page of the certifying study and sign there."),
    ),
    "TAKEOVER_OTHER_STUDY": Words(
        _("The signed text hands the models to another study."),
        _("Nothing was taken over; the models stay where they are."),
        _("Sign the handing over on the page of the study that is to certify them."),
    ),
    "DEPLOYMENT_INVALID": Words(
        _("The signed text that puts a model in use is not as it should be."),
        _("The model that was in use still is."),
        _("Put the model in use from its page and sign there."),
    ),
    "DEPLOYMENT_OTHER_STUDY": Words(
        _("The signed text puts a model of another study in use."),
        _("The model that was in use still is."),
        _("Put the model in use from the page of its own study."),
    ),
    "DEPLOYMENT_OUTDATED": Words(
        _("The party knows of a later decision on which model is in use."),
        _("The model of the later decision is in use."),
        _(
            "Put the model in use again: that is signed anew, with the time of now. If it "
            "stays so, set the signing computer's clock."
        ),
    ),
    "TRAINED_MODEL_INVALID": Words(
        _("The opened text is not a trained model as a party delivers it."),
        _("The model is not lost: the modeler's party keeps it."),
        _("Ask for it again; “export-model” on the party's machine writes it as well."),
    ),
    "TRAINED_MODEL_DIFFERENT": Words(
        _("The opened model is not the one that the modeler's party named."),
        _("No file was saved. The model is not lost: the modeler's party keeps it."),
        _("Have the party's operator write it with “export-model”, and tell the site's operator."),
    ),
    "ESTIMATOR_INVALID": Words(
        _("The file is not an estimator file, or a field of it is not as it should be."),
        NOTHING,
        _("Load the file as FairLogisticRegression.save or the study's page wrote it."),
    ),
    "ESTIMATOR_VERSION_UNKNOWN": Words(
        _("The estimator file was written by a newer release."),
        NOTHING,
        _("Install that release and load the file with it."),
    ),
    "TRAINING_NEEDS_MODELER_DATA": Words(
        _(
            "A model is trained where the modeler holds the data; in this study it is the "
            "regulator, so that models can be certified on it."
        ),
        UNCHARGED,
        _("Draft a study whose data the modeler holds, and train there."),
    ),
    "CERTIFICATION_NEEDS_REGULATOR_DATA": Words(
        _("A model of this study is certified in another one, with data at the regulator."),
        UNCHARGED,
        _("Draft a study whose data the regulator holds and take the model over into it."),
    ),
    "TRAINING_BOUND_COUNT": Words(
        _(
            "Each constraint of the study needs one bound at every point of a training, and "
            "these are more or fewer."
        ),
        UNCHARGED,
        _(
            "Give as many bounds for each point as the study has constraints, and propose the"
            " training again."
        ),
    ),
    "TRAINING_RANGE": Words(
        _("A training with these settings needs wider integers than are computed exactly."),
        UNCHARGED,
        _(
            "Use fewer fractional bits, smaller features or smaller rates, and propose the "
            "training again."
        ),
    ),
    "TRAINING_TOO_FEW_OUTCOMES": Words(
        _(
            "Too few people have one of the two outcomes: fewer than the policy needs answers. A"
            " constraint that depends on outcomes would be about those few."
        ),
        UNCHARGED,
        _("Train under the acceptance rate, or in a study with more people of each outcome."),
    ),
    "TRAINING_TOO_FEW_PEOPLE": Words(
        _("The study has fewer people than its policy needs answers."),
        UNCHARGED,
        _("Train in a study with more people, or one whose policy asks for fewer."),
    ),
    "CONSTRAINT_COUNT": Words(
        _("The bounds of a training are not one for each constraint."),
        UNCHARGED,
        _("Give one bound for each constraint of the study and propose the training again."),
    ),
    "CHECKPOINT_DIFFERENT": Words(
        _("What was kept of an earlier attempt of a training is of another run."),
        RUN,
        _("Propose the training anew; models that are listed were opened and are kept."),
    ),
    "ROW_OUT_OF_RANGE": Words(
        _("A row of the training data is larger than the bounds that both sides agreed on."),
        UNCHARGED,
        _("Keep every value within its feature's range, and train again."),
    ),
}
