import { getJson, postForm } from "/static/js/net/api.js";
import { assertEqual, assertSame, test } from "./harness.js";

const data = document.createElement("script");
Object.assign(data, { type: "application/json", id: "page-data", textContent: '{"csrf": "token"}' });
document.body.append(data);

/** What a call throws where the site answers so. @param {Response | Error} answer @param {() => Promise<any>} [call] */
async function thrown(answer, call = () => getJson("/api/v1/clock")) {
  const real = globalThis.fetch;
  globalThis.fetch = async () => {
    if (answer instanceof Error) throw answer;
    return answer;
  };
  try {
    return await call().then(() => null, (error) => error);
  } finally {
    globalThis.fetch = real;
  }
}

const REFUSAL = { code: "STUDY_CLOSED", detail: "No.", kept: "All.", next: "Wait.", status: 409 };

test("a refusal has the site's sentences and the address that explains its code", async () => {
  const body = JSON.stringify({ ...REFUSAL, type: "/errors/#STUDY_CLOSED" });
  const error = await thrown(new Response(body, { status: 409 }));
  assertSame([error.code, error.status], ["STUDY_CLOSED", 409]);
  assertSame(error.said, { what: "No.", kept: "All.", next: "Wait.", about: "/errors/#STUDY_CLOSED" });
});

test("a code that the site does not explain has no address", async () => {
  const body = JSON.stringify({ ...REFUSAL, type: "about:blank" });
  assertEqual((await thrown(new Response(body, { status: 409 }))).said.about, "");
});

test("a lost line and an answer that nobody understands have codes of their own", async () => {
  assertEqual((await thrown(new TypeError("failed"))).code, "no_network");
  for (const call of [undefined, () => postForm("/", new FormData())]) {
    const error = await thrown(new Response("<html>", { status: 502 }), call);
    assertSame([error.code, error.status, error.params], ["BAD_ANSWER", 502, { status: 502 }]);
  }
});
