import { describe, expect, it } from "vitest";
import { readCommandLine, USAGE } from "../src/command/options.ts";

describe("the command line of `pawl`", () => {
  it("Q5 has defaults", () => {
    expect(readCommandLine(["worker", "./app.js"])).toEqual({
      command: "worker",
      path: "./app.js",
      port: 9464,
      host: undefined,
      drainMs: 30_000,
      concurrency: 100,
      check: false,
    });
  });

  it("Q5 takes options", () => {
    const args = ["worker", "./app.js", "--port=0", "--host", "::1", "--drain-timeout", "0.5", "--check"];
    expect(readCommandLine(args)).toMatchObject({ port: 0, host: "::1", drainMs: 500, check: true });
    expect(readCommandLine(["worker", "a.js", "--concurrency", "8"])).toMatchObject({ concurrency: 8 });
    expect(readCommandLine(["--help"])).toEqual({ command: "help" });
  });

  it.each([
    [[], USAGE],
    [["wroker"], `No such command: wroker.\n\n${USAGE}`],
    [["worker"], "The module is missing."],
    [["worker", "a.js", "b.js"], "pawl worker takes one module; got 2."],
    [["worker", "a.js", "--port", "http"], '--port must be a whole number from 0 to 65535; got "http".'],
    [["worker", "a.js", "--port="], "--port must be a whole number"],
    [
      ["worker", "a.js", "--drain-timeout", "5s"],
      '--drain-timeout must be a number of seconds from 0; got "5s".',
    ],
    [["worker", "a.js", "--concurrency", "0"], '--concurrency must be a whole number from 1; got "0".'],
    [["worker", "a.js", "--concurrency="], "--concurrency must be a whole number"],
    [["worker", "a.js", "--prot", "1"], "'--prot'"],
  ])("Q5 U6 refuses %j", (args, message) => {
    expect(() => readCommandLine(args)).toThrow(message);
  });
});
