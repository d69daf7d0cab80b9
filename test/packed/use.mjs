import { exec, execTool } from "../../scripts/lib/exec.mjs";
import { projectNode } from "../../scripts/lib/project.mjs";

const COMPILERS = { 7: ["@typescript/native", "tsc"], 6: ["typescript", "tsc6"] };
const RESOLUTIONS = ["nodenext", "bundler"];

/** Runs the consumer's program. */
export const checkRuntime = (project, env) => exec(projectNode(), ["main.ts"], { cwd: project, env });

/**
 * Checks the consumer's types, and ours inside it, with each TypeScript and each resolution. What other people's
 * declarations get wrong is their business.
 */
export async function checkTypes(project, env) {
  const ways = Object.keys(COMPILERS).flatMap((version) => RESOLUTIONS.map((how) => [version, how]));
  const problems = await Promise.all(ways.map((way) => checkWay(project, env, ...way)));
  return { ok: problems.every((problem) => problem === ""), output: problems.join("") };
}

async function checkWay(project, env, version, resolution) {
  const args = ["-p", `tsconfig.${resolution}.json`, "--pretty", "false"];
  const { ok, output } = await execTool(COMPILERS[version], args, { cwd: project, env });
  const errors = output.split("\n").filter((line) => /error TS/.test(line));
  const ours = errors.filter(
    (line) => !line.includes("node_modules/") || line.includes("node_modules/@pawl/"),
  );
  if (ok || (errors.length > 0 && ours.length === 0)) return "";
  return `TypeScript ${version}, ${resolution}:\n${ours.join("\n") || output}\n`;
}
