import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { at } from "../../../../scripts/lib/project.mjs";
import { hints } from "../../src/base/hints.ts";
import { hintsFor } from "../../src/base/hints-for.ts";
import { agentTool, PawlError } from "../../src/index.ts";
import { setup } from "../support/setup.ts";

describe("U6 hints for option names of other libraries", () => {
  it.each(Object.keys(hints) as (keyof typeof hints)[])("U6 are loaded on demand for %s()", (name) => {
    expect(hintsFor(name)()).toEqual(hints[name]);
  });

  it("U6 name what to use instead of an option of agentTool()", () => {
    const { agent } = setup([]);
    const options = { agent, description: "d", toolName: "t", needsApproval: true };
    expect(() => agentTool(options as never)).toThrow(
      new PawlError(
        "config",
        'agentTool() has no option "toolName". Use `name`. agentTool() has no option "needsApproval". Use `approval({ when: ["its name"] })` in the `hooks` of the agent.',
      ),
    );
  });

  it("U6 name what to use instead of an option of a role", () => {
    const roles = { seats: { instructions: "x", handoffs: ["triage"] } };
    expect(() => setup([], { roles } as never)).toThrow(
      '`roles.seats` of agent("tester") has no option "handoffs". Use `to`, a list of the names of other roles.',
    );
  });

  it("U6 are found by the built package", () => {
    const code = `import { tool } from "${at("packages/core/dist/index.js")}"; tool({ parameters: {} });`;
    const run = () => execFileSync("node", ["--input-type=module", "-e", code], { stdio: "pipe" });
    expect(run).toThrow(/tool\(\) has no option "parameters". Use `input`/);
  });

  it("U6 are left out where nothing can be required at run time, e.g. in a worker", () => {
    const { getBuiltinModule } = process;
    process.getBuiltinModule = undefined as never;
    try {
      expect(hintsFor("agent")()).toEqual({});
    } finally {
      process.getBuiltinModule = getBuiltinModule;
    }
  });
});
