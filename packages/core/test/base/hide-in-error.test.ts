import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { processorTime } from "../../../../test/support/processor-time.ts";
import { hideInError } from "../../src/base/hide-in-error.ts";
import { hideTextsOf } from "../../src/base/hide-texts.ts";
import { PawlError } from "../../src/index.ts";

const TOKEN = "tok_4f2c9a7e1b8d6053";
const hide = hideTextsOf({ token: TOKEN });
const shown = (error: unknown) =>
  inspect(hideInError(error, hide), { depth: 9, showHidden: true, getters: true });

class ApiError extends Error {
  readonly code = "E_API";
  readonly #header: string;
  constructor(message: string, header: string) {
    super(message);
    this.name = "ApiError";
    this.#header = header;
  }
  get header(): string {
    return this.#header;
  }
}

/** A request, as HTTP clients attach it to their errors. */
class ClientRequest {
  method = "GET";
  readonly headers: Map<string, string>;
  constructor(token: string) {
    this.headers = new Map([["authorization", `Bearer ${token}`]]);
  }
}

describe("F17 credentials in an error", () => {
  it.each<[string, () => unknown]>([
    ["its message", () => new Error(`401 for ${TOKEN}`)],
    ["its stack alone", () => Object.assign(new Error("401"), { stack: `Error: 401 ${TOKEN}` })],
    ["its cause", () => new Error("no data", { cause: new Error(`401 for ${TOKEN}`) })],
    [
      "a cause further down",
      () => new Error("a", { cause: new Error("b", { cause: new Error("c", { cause: TOKEN }) }) }),
    ],
    [
      "a cause that is no error",
      () => new Error("no data", { cause: { headers: { authorization: TOKEN } } }),
    ],
    ["one error of several", () => new AggregateError([new Error("a"), new Error(TOKEN)], "all failed")],
    ["a field", () => Object.assign(new Error("401"), { authorization: `Bearer ${TOKEN}` })],
    ["the name of a field", () => Object.assign(new Error("401"), { [TOKEN]: 1 })],
    ["a field of a field", () => Object.assign(new Error("401"), { config: { headers: [["x", TOKEN]] } })],
    ["a field under a symbol", () => Object.assign(new Error("401"), { [Symbol("request")]: TOKEN })],
    [
      "a request that cannot be copied",
      () => Object.assign(new Error("401"), { request: new ClientRequest(TOKEN) }),
    ],
    ["headers", () => Object.assign(new Error("401"), { headers: new Headers({ authorization: TOKEN }) })],
    ["a URL", () => Object.assign(new Error("401"), { url: new URL(`https://x.test/?token=${TOKEN}`) })],
    [
      "a request of fetch",
      () =>
        Object.assign(new Error("401"), {
          request: new Request("https://x.test", { headers: { a: TOKEN } }),
        }),
    ],
    ["what its class computes", () => new ApiError("401", TOKEN)],
    ["a DOMException", () => new DOMException(`Aborted ${TOKEN}`, "AbortError")],
    ["a PawlError's details", () => new PawlError("invalid_input", "No.", { details: { given: TOKEN } })],
    ["a string", () => `401 for ${TOKEN}`],
    ["an object", () => ({ message: `401 for ${TOKEN}` })],
    ["a URL's spelling", () => new Error(`GET /?token=${encodeURIComponent(TOKEN)}`)],
  ])("are hidden in %s", (_, make) => {
    expect(inspect(make(), { depth: 9, showHidden: true, getters: true })).toContain(TOKEN);
    expect(shown(make())).not.toContain(TOKEN);
  });

  it("are hidden in a circle of causes, which stays one", () => {
    const [one, other] = [new Error("one"), new Error(`other ${TOKEN}`)];
    one.cause = other;
    other.cause = one;
    const copy = hideInError(one, hide) as Error & { cause: Error };
    expect(copy.cause.message).toBe("other …");
    expect(copy.cause.cause).toBe(copy);
  });

  it("leave the application's own errors as they are", () => {
    const cause = Object.assign(new Error(`401 for ${TOKEN}`), { config: { token: TOKEN } });
    const error = new Error("no data", { cause });
    const before = inspect(error, { depth: 9 });
    expect(hideInError(error, hide)).not.toBe(error);
    expect(inspect(error, { depth: 9 })).toBe(before);
  });

  it("leave an error of the same classes and fields", () => {
    const copy = hideInError(Object.assign(new ApiError(`401 for ${TOKEN}`, "none"), { retries: 2 }), hide);
    expect(copy).toBeInstanceOf(ApiError);
    expect(Object.prototype.toString.call(copy)).toBe("[object Error]");
    expect(copy).toMatchObject({ name: "ApiError", message: "401 for …", code: "E_API", retries: 2 });
    expect((copy as Error).stack).toContain("hide-in-error.test.ts");
    expect(Object.keys(copy as Error)).not.toContain("message");
    const own = hideInError(new PawlError("tools_failed", `No ${TOKEN}`), hide);
    expect(PawlError.is(own, "tools_failed")).toBe(true);
  });

  it("leave an error without a stack without one", () => {
    const error = new Error(`401 for ${TOKEN}`);
    delete error.stack;
    const copy = hideInError(error, hide) as Error;
    expect([copy.message, Object.hasOwn(copy, "stack")]).toEqual(["401 for …", false]);
  });

  it("change nothing in an error without them, which is returned itself", () => {
    const error = new Error("no data", { cause: new AggregateError([new Error("down")]) });
    expect(hideInError(error, hide)).toBe(error);
    expect(hideInError(undefined, hide)).toBe(undefined);
  });

  it("keep an error of a strange shape from being shown, or from throwing", () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(() => hideInError(proxy, hide)).not.toThrow();
    const throwing = Object.defineProperty(new Error(TOKEN), "config", {
      get: () => {
        throw new Error("no");
      },
    });
    expect(shown(throwing)).not.toContain(TOKEN);
  });

  it("are assumed in an object that is too large to search, which is not shown", () => {
    const many = Array.from({ length: 100_000 }, (_, n) => ({ n }));
    const error = Object.assign(new Error("401"), {
      request: Object.assign(new ClientRequest("none"), { many }),
    });
    const spentMs = processorTime();
    expect(hideInError(error, hide)).toMatchObject({ message: "401", request: "…" });
    expect(spentMs()).toBeLessThan(2_000);
  });
});
