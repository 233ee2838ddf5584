import { runStudyPage } from "../components/study_page.js";

await runStudyPage();
