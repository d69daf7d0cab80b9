import { describe, expect, it } from "vitest";
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

function fail(): string {
  throw new Error("no user");
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
