import { describe, expect, it, vi } from "vitest";
import { hideTextsOf } from "../../src/base/hide-texts.ts";

const TOKEN = "tok_4f2c9a7e1b8d6053";

class Login {
  #token = TOKEN;
  get token(): string {
    return this.#token;
  }
}
const circle: { token: string; self?: unknown } = { token: TOKEN };
circle.self = circle;
const bearer = { authorization: `Bearer ${TOKEN}` };

describe("F17 credentials are found", () => {
  it.each<[name: string, credentials: unknown]>([
    ["in a text", TOKEN],
    ["at any depth", { a: [{ b: { c: TOKEN } }] }],
    ["in a circle", circle],
    ["in a private field that a getter returns", new (class extends Login {})()],
    ["in a field that no loop shows", Object.defineProperty({}, "token", { value: TOKEN })],
    ["under a symbol", { [Symbol("token")]: TOKEN }],
    ["beside a getter that throws", Object.defineProperty({ token: TOKEN }, "user", { get: fail })],
    ["in a map", new Map([["token", { value: TOKEN }]])],
    ["in headers", new Headers(bearer)],
    ["in a request", new Request("http://localhost", { headers: bearer })],
    ["in a URL", new URL(`http://localhost/?token=${TOKEN}`)],
    ["in bytes of text", { key: new TextEncoder().encode(TOKEN) }],
    ["in a boxed text", { token: Object(TOKEN) }],
    ["beside a proxy that is revoked", [revoked(), TOKEN]],
  ])("%s", (_name, credentials) => {
    expect(hideTextsOf(credentials)({ said: `It is ${TOKEN}.` })).toEqual({ said: "It is …." });
  });
});

describe("F17 credentials leave alone", () => {
  it.each<[name: string, credentials: unknown]>([
    ["the names of their fields", { refreshTokenExpiresIn: 3600 }],
    ["what a function or a promise would return", [() => TOKEN, Promise.resolve(TOKEN)]],
  ])("%s", (_name, credentials) => {
    const said = { refreshTokenExpiresIn: 1, said: TOKEN };
    expect(hideTextsOf(credentials)(said)).toEqual(said);
  });

  it("an iterator, which only its own reader may read", () => {
    const values = [TOKEN].values();
    hideTextsOf({ values });
    expect([...values]).toEqual([TOKEN]);
  });
});

describe("F17 B7 many credentials", () => {
  const words = Array.from({ length: 2_000 }, (_, at) => `tok_${at}_$&.*+?^(abcdefgh)[${at}]`);

  it("are all hidden, each in the longest of its matches", () => {
    const hide = hideTextsOf({ cookie: words.join(" "), long: `${words[7]}-and-more-of-it` });
    const said = words.map((word) => `a ${word} z`);
    expect(new Set(hide(said))).toEqual(new Set(["a … z"]));
    expect(hide(`${words[7]}-and-more-of-it`)).toBe("…");
    expect(hide("tok_7_ is none")).toBe("tok_7_ is none");
  });

  it("search each text once for thousands of them, and a short text not at all", () => {
    const hide = hideTextsOf(words);
    const replace = vi.spyOn(String.prototype, "replace");
    const replaceAll = vi.spyOn(String.prototype, "replaceAll");
    hide(["short", ...Array.from({ length: 100 }, (_, at) => `text ${at}: the quick brown fox jumps`)]);
    const calls = replace.mock.calls.length + replaceAll.mock.calls.length;
    vi.restoreAllMocks();
    // A pattern for each 50,000 characters of credentials in their three spellings.
    expect(calls).toBeLessThanOrEqual(100 * 10);
  });
});

function fail(): string {
  throw new Error("no user");
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
