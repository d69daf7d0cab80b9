import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import { exec } from "../../scripts/lib/exec.mjs";
import { at, projectNode, readJson } from "../../scripts/lib/project.mjs";

/** The versions of TypeScript, from `test/compilers`. A new one needs a line there and one in the catalog. */
const COMPILERS = Object.keys(readJson(at("test", "compilers", "package.json")).devDependencies);
const RESOLUTIONS = ["nodenext", "bundler"];

/**
 * Checks whether a compiler and a resolution are checked together in this run. With PAWL_SOAK=1, all pairs
 * are. Otherwise the newest compiler has both resolutions, and each other one has one.
 */
const isInTurn = (compiler, how) =>
  process.env.PAWL_SOAK === "1" ||
  compiler === COMPILERS.at(-1) ||
  RESOLUTIONS.indexOf(how) === COMPILERS.indexOf(compiler) % RESOLUTIONS.length;

/** The oldest Node that the packages support; npx gets it. */
const OLDEST = `node@${readJson(at("packages", "core", "package.json")).engines.node.slice(2)}`;

/** Runs the consumer's programs on the project's Node, with PAWL_SOAK=1 on the oldest one too. */
export async function checkRuntime(project, env) {
  const nodes = [[projectNode()]];
  if (process.env.PAWL_SOAK === "1") nodes.push(["npx", "--yes", OLDEST]);
  const results = [];
  for (const [command, ...args] of nodes) {
    const onNode = (program) => exec(command, [...args, program], { cwd: project, env });
    results.push(await runPrograms(project, onNode));
  }
  return { ok: results.every(({ ok }) => ok), output: results.map(({ output }) => output).join("") };
}

/** Runs the consumer's programs, the last one without PGlite. */
async function runPrograms(project, run) {
  const results = [await run("main.ts"), await run("light.ts"), await run("tools-elsewhere.ts")];
  const pglite = join(project, "node_modules", "@electric-sql", "pglite");
  renameSync(pglite, `${pglite}-away`);
  results.push(await run("without-pglite.ts"));
  renameSync(`${pglite}-away`, pglite);
  return { ok: results.every(({ ok }) => ok), output: results.map(({ output }) => output).join("") };
}

/**
 * Checks the types of the consumer, and of our packages in it, with each compiler and resolution. Errors in
 * other packages' declarations are ignored.
 */
export async function checkTypes(project, env) {
  const problems = [];
  for (const compiler of COMPILERS) {
    const ways = RESOLUTIONS.filter((how) => isInTurn(compiler, how));
    problems.push(...(await Promise.all(ways.map((how) => checkWay(project, env, compiler, how)))));
  }
  return {
    ok: problems.every((problem) => problem === ""),
    output: problems.join(""),
    ways: problems.length,
  };
}

async function checkWay(project, env, compiler, resolution) {
  const args = [...programOf(compiler), `tsconfig.${resolution}.json`];
  const { ok, output } = await exec(projectNode(), args, { cwd: project, env });
  const errors = output.split("\n").filter((line) => /error TS/.test(line));
  const ours = errors.filter(
    (line) => !line.includes("node_modules/") || line.includes("node_modules/@pawl/"),
  );
  if (ok || (errors.length > 0 && ours.length === 0)) return "";
  return `${compiler}, ${resolution}:\n${ours.join("\n") || output}\n`;
}

/** Returns the start of a command that checks types, up to the name of the configuration. */
function programOf(compiler) {
  const folder = at("test", "compilers", "node_modules", compiler);
  // The compiler in Go is called by its command. A second checker would check again what both use.
  if (!existsSync(join(folder, "lib", "typescript.js")))
    return [join(folder, "bin", "tsc"), "--pretty", "false", "--checkers", "1", "-p"];
  return [at("test", "packed", "declarations.mjs"), folder];
}
