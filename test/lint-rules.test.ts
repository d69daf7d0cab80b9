import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { at, tool } from "../scripts/lib/project.mjs";

/** Lints lines of code by one rule alone. Returns the lines that it refuses. */
async function refused(rule: string, lines: readonly string[]): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "pawl-lint-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const plugins = [at(`scripts/lib/lint/${rule}.grit`)];
  const config = { root: true, plugins, linter: { rules: { recommended: false } } };
  await writeFile(join(folder, "biome.json"), JSON.stringify(config));
  await writeFile(join(folder, "a.ts"), lines.join("\n"));
  const args = ["lint", "--reporter=json", `--config-path=${folder}`, join(folder, "a.ts")];
  const biome = [tool("@biomejs/biome", "biome"), ...args] as const;
  const printed = await promisify(execFile)(process.execPath, [...biome]).then(
    ({ stdout }) => stdout,
    (error: { stdout: string }) => error.stdout,
  );
  const { diagnostics } = JSON.parse(printed) as { diagnostics: { location: { start: { line: number } } }[] };
  return diagnostics.map(({ location }) => lines[location.start.line - 1] ?? "");
}

test("B7 the lint refuses to join problems by hand, wherever they come from", async () => {
  const joined = [
    'const a = problems.join("; ");',
    'const b = checked.problems.join("; ");',
    'const c = error.issues.map(({ message }) => message).join("\\n");',
    "const d = toolProblems.join();",
    'const e = [...errors.values()].join(" ");',
    // Under another name before they are joined.
    "const lines = error.issues.map(({ message }) => message);",
    "const texts = Object.values(errors).flatMap((one) => one.texts);",
    "const where = mistakes.map(String).slice(0, 5);",
  ];
  const fine = [
    'throw new Error(lines.join("; "));',
    'function said() { return texts.join("\\n") + where.join(" "); }',
    'const f = names.join(", ");',
    "const g = listedProblems(problems);",
    "problems.push(a);",
    "const listed = problems.map(String);",
    "const h = listedProblems(listed);",
  ];
  expect(await refused("listed-problems", [...joined, ...fine])).toEqual(joined);
});

test("R2 L3 the lint refuses a call of the application's code that what is held could be seen by", async () => {
  const ungated = [
    "const a = await tool.execute?.(input, context);",
    "const b = toJson(payload(input));",
    "const c = tool.suspends.payload(input);",
    "const d = formatted(tool, result);",
    "const e = await withinDeadline(leg.life, (async () => choose(input, source))());",
    "for (const strategy of strategies) plan = await strategy(source);",
    "const g = await readUserData({ agent, session, access });",
    "await userDataFor(leg.parts.load, leg.run, access, given);",
    "await (await leg.parts.load()).fetchUserData(leg.run, access, given);",
    "await leg.run.agent.userData?.read({});",
    "await userData.read({ session });",
    "await hook.afterRun(result, context);",
    "await hook[method](plan, context);",
    "await hook[method]?.(plan, context);",
    "const run = tool.execute;",
    "const { execute } = tool;",
    "await tool.execute?.call(tool, input, context);",
    "await tool?.execute?.(input, context);",
    "const { afterRun } = hook;",
    "await hook.onSuspend(contextOf(leg, hook));",
    "await Promise.all(leg.run.agent.hooks.map((hook) => hook.afterTurn?.(turn, context)));",
    'import { notifyHooks as tellHooks } from "./notify-hooks.ts";',
    "const read = readUserData;",
    "await Promise.try(choose, input, source);",
    "for (const asks of leg.run.agent.checkpointWhen) plan = await asks(source);",
    "await Promise.all(leg.run.agent.checkpointWhen.map((asks) => asks(source)));",
    "firstStop(leg.run.agent.stopWhen, run, state);",
    "await validate(tool.input, value);",
    "await leg.access.makeDeps();",
    "await notifyHooks(deadline, agent.hooks, error, context);",
    "leg.report.toFix(cause);",
    "await validated(schema, value, within);",
  ];
  const gated = [
    "const h = await afterBarrier(leg, () => tool.execute?.(input, context));",
    'const i = await callHook(leg, hook, "afterTool", [outcome], (change) => formatted(tool, change));',
    "const j = await validateFor(leg, tool.input, value);",
    "const k = tool.execute === undefined;",
    "for (const strategy of checkpointWhen) await afterBarrier(leg, () => strategy(source));",
    'import { notifyHooks } from "./notify-hooks.ts";',
    "await afterBarrier(leg, async () => userDataFor(load, leg.run, await leg.access.accessOf(message), given));",
  ];
  expect(await refused("gates", [...ungated, ...gated])).toEqual(ungated);
});
