import { describe, expect, it } from "vitest";
import { checkOptions, type OptionKinds, PawlError } from "../../src/index.ts";

interface Options {
  name: string;
  port?: number;
  tools?: readonly string[];
  log?: () => void;
  deep?: { a: number };
  either?: string | number;
}
const KINDS: OptionKinds<Options> = {
  name: "string!",
  port: "number",
  tools: "list",
  log: "function",
  deep: "object",
  either: "any",
};
const check = (given: unknown) => () =>
  checkOptions("serve()", given, KINDS, { instead: { id: "Use `name`." } });

describe("U6 the check of options", () => {
  it("U6 applies a test of its own to an option", () => {
    const even = {
      mustBe: "an even number",
      is: (value: unknown) => Number(value) % 2 === 0,
      required: true,
    };
    const check = (given: object) => () => checkOptions<{ n: number }>("half()", given, { n: even });
    expect(check({ n: 4 })).not.toThrow();
    expect(check({ n: 3 })).toThrow(new PawlError("config", "`n` of half() must be an even number; not 3."));
    expect(check({})).toThrow(new PawlError("config", "half() needs `n`, an even number."));
  });

  it.each([{ name: "a" }, { name: "a", port: undefined }, { name: "", port: 0, tools: [], either: null }])(
    "U6 accepts %j",
    (given) => {
      expect(check(given)).not.toThrow();
    },
  );

  it.each([
    [undefined, "serve() takes an object of options with `name`; got undefined."],
    [null, "serve() takes an object of options with `name`; got null."],
    ["x", "serve() takes an object of options with `name`; got a string."],
    [[], "serve() takes an object of options with `name`; got a list."],
    [{}, "serve() needs `name`, a string."],
    [
      { name: "a", host: "::" },
      'serve() has no option "host". The options of serve() are name, port, tools, log, deep, either.',
    ],
    [{ name: "a", prot: 1 }, 'serve() has no option "prot". Did you mean `port`?'],
    [{ name: "a", Port: 1 }, 'serve() has no option "Port". Did you mean `port`?'],
    [{ name: "a", ports: 1 }, 'serve() has no option "ports". Did you mean `port`?'],
    [{ name: "a", tool: [] }, 'serve() has no option "tool". Did you mean `tools`?'],
    [{ name: "a", dep: {} }, 'serve() has no option "dep". Did you mean `deep`?'],
    [{ name: "a", lag: 1 }, 'serve() has no option "lag". Did you mean `log`?'],
    [
      { name: "a", tool: [], host: "::" },
      'serve() has no option "tool". Did you mean `tools`? serve() has no option "host". The options of serve() are name, port, tools, log, deep, either.',
    ],
    [{ name: "a", id: 1 }, 'serve() has no option "id". Use `name`.'],
    [{ name: "a", port: "80" }, "`port` of serve() must be a number; got a string."],
    [{ name: "a", tools: {} }, "`tools` of serve() must be a list; got an object."],
    [
      { name: "a", port: Promise.resolve(80) },
      "`port` of serve() must be a number; got a promise, which needs `await`.",
    ],
    [{ name: "a", deep: null }, "`deep` of serve() must be an object; got null."],
    [{ name: "a", log: [] }, "`log` of serve() must be a function; got a list."],
    [
      { name: 1, port: "80" },
      "`name` of serve() must be a string; got a number. `port` of serve() must be a number; got a string.",
    ],
  ])("U6 refuses %j", (given, message) => {
    expect(check(given)).toThrow(new PawlError("config", message));
  });

  it("U6 does not take a property of every object for an option", () => {
    expect(check(JSON.parse('{"name":"a","constructor":1,"__proto__":2}'))).toThrow(
      /no option "constructor"/,
    );
  });

  it("U6 never has a value in its message", () => {
    expect(check({ name: "a", port: "sk-secret" })).toThrow(expect.not.stringContaining("sk-secret"));
  });
});
