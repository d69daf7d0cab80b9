import { describe, expect, it } from "vitest";
import { expectPrinted } from "../../../../test/support/printed.ts";
import { type ModelClient, PawlError } from "../../src/index.ts";
import { secretsIn, withoutKeys, withoutSecrets } from "../../src/model.ts";
import { setup } from "../support/setup.ts";

describe("W5 a failure's message without secrets", () => {
  it.each([
    ["a key by its look", "bad key sk-ant-api03-abc", "bad key sk-ant-…"],
    ["the value of a header", '{"x-api-key":"abcdef","a":1}', '{"x-api-key":"…","a":1}'],
    [
      "a header in escaped JSON",
      '{\\"authorization\\": \\"Basic dXNlcjpwYXNz\\"}',
      '{\\"authorization\\": \\"…\\"}',
    ],
    ["a token", `no Bearer ${"s".repeat(32)}`, "no Bearer …"],
    ["the password in an address", "no https://user:pass@host/x", "no https://…@host/x"],
    ["a key in an address", "GET /v1?api-version=1&key=abc", "GET /v1?api-version=1&key=…"],
  ])("does not contain %s", (_what, said, kept) => {
    expect(withoutKeys(said)).toBe(kept);
    expect(withoutKeys(kept)).toBe(kept);
  });

  it("keeps text that is not a secret", () => {
    const said =
      "Request too large: authorization failed for https://api.example.com/v1 (content-type: a/b).";
    expect(withoutKeys(said, ["short"])).toBe(said);
  });

  it.each([
    ["an object", { "x-gateway": "first-secret", none: null }, "first-secret"],
    ["pairs", [["authorization", "Token a-b-c-d-e"]], "a-b-c-d-e"],
    ["Headers", { values: new Headers({ cookie: "id=abc" }), nulls: new Set(["x"]) }, "id=abc"],
    ["an object of lists", { "x-gateway": ["first-secret", "second-secret", null] }, "second-secret"],
    ["pairs of lists", [["x-gateway", ["first-secret"]]], "first-secret"],
  ])("knows the secrets among headers that an SDK takes as %s", (_form, headers, secret) => {
    expect(secretsIn(headers)).toContain(secret);
  });

  it("does not take headers with public names for secrets", () => {
    const headers = { "content-type": "application/json", "x-gateway": "first-secret" };
    expect(secretsIn(headers)).not.toContain("application/json");
  });

  it("finds no secrets without headers", () => {
    expect(secretsIn(undefined)).toEqual([]);
  });

  it("is cleaned in all of its causes, even circular ones", () => {
    const deep = Object.assign(new Error("deep gateway+secret"), { code: "ECONNRESET" });
    const cause = new TypeError("fetch failed", { cause: deep });
    deep.cause = cause;
    const failure = new PawlError("model_error", "No.", {
      cause,
      details: { type: "gateway+secret", status: 500 },
    });
    const clean = withoutSecrets(failure, ["gateway+secret"]);
    expect(clean.details).toEqual({ type: "…", status: 500 });
    expect(clean.cause).toMatchObject({
      name: "TypeError",
      cause: { message: "deep …", code: "ECONNRESET" },
    });
  });

  it("goes to the log without what looks like a key, whatever model has thrown it", async () => {
    expectPrinted("pawl: Refused: sk-ant-api03-abc");
    const careless = (model: ModelClient): ModelClient => ({
      ...model,
      stream: () => {
        throw new Error("Refused: sk-ant-api03-abc", { cause: new Error("x-api-key: abcdefgh") });
      },
    });
    const world = setup([], {}, {}, careless);
    const { sessionId } = await world.say("Go");
    const [failed] = await world.of(sessionId, "error");
    expect(failed?.data).toMatchObject({
      message: "Refused: sk-ant-…",
      context: { cause: { message: "Refused: sk-ant-…", cause: { message: "x-api-key: …" } } },
    });
  });
});
