import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { exec } from "./exec.mjs";
import { fingerprint, readStamp, writeStamp } from "./fingerprint.mjs";
import { at, projectNode, toolEnv, workspaces } from "./project.mjs";

const PNPM = "pnpm@12";
const NETWORK_ERROR =
  /E(?:NOTFOUND|CONN|AI_AGAIN|TIMEDOUT|NETUNREACH)|ERR_SOCKET|error sending request|node preinstall: Failed/;

/** Returns the reason why this machine cannot run the project, if there is one. */
export function unfitMachine() {
  const [major] = process.versions.node.split(".").map(Number);
  if (major >= 20) return undefined;
  return `Node 20 or newer is needed, this is ${process.versions.node}. Get one from https://nodejs.org.`;
}

/**
 * Installs the packages of the lock file, unless they are installed already. Resolves to `{ ok, output, env,
 * skipped }`. `env` is the environment for the project's tools.
 */
export async function install() {
  const unfit = unfitMachine();
  if (unfit) return { ok: false, output: unfit };
  const wanted = fingerprint(
    ["pnpm-lock.yaml", "pnpm-workspace.yaml", ".npmrc", ...manifests()],
    [process.platform, process.arch],
  );
  const stamp = readStamp("install");
  const knownPnpm = stamp && existsSync(stamp.pnpm) ? stamp.pnpm : undefined;
  if (knownPnpm && stamp.fingerprint === wanted && existsSync(projectNode())) {
    return { ok: true, output: "", env: toolEnv(knownPnpm), skipped: true };
  }
  const { pnpm = knownPnpm, problem } = knownPnpm ? {} : await findPnpm();
  if (!pnpm) return { ok: false, output: problem };
  const env = toolEnv(pnpm);
  const windows = process.platform === "win32";
  const done = await exec("pnpm", ["install", "--frozen-lockfile"], { env, shell: windows });
  if (!done.ok) return { ok: false, output: `${done.output}${hint(done.output)}` };
  if (!existsSync(projectNode())) {
    return { ok: false, output: `${done.output}\nThe package "node" has no Node for this platform.` };
  }
  writeStamp("install", { fingerprint: wanted, pnpm });
  return { ok: true, output: done.output, env };
}

/** Installs the runtimes that tests use. They are large, and `npm start` needs none of them. */
export async function installRuntimes(env) {
  const files = ["package.json", "pnpm-lock.yaml", "pnpm-workspace.yaml"];
  const wanted = fingerprint(
    files.map((name) => `test/runtimes/${name}`),
    [process.platform, process.arch],
  );
  const cwd = at("test", "runtimes");
  const isThere = existsSync(at("test", "runtimes", "node_modules", "miniflare"));
  if (isThere && readStamp("runtimes") === wanted) return { ok: true, output: "" };
  const shell = process.platform === "win32";
  const { ok, output } = await exec("pnpm", ["install", "--frozen-lockfile"], { cwd, env, shell });
  if (ok) writeStamp("runtimes", wanted);
  return { ok, output: ok ? output : `${output}${hint(output)}` };
}

const hint = (output) =>
  NETWORK_ERROR.test(output)
    ? "\nThe first install needs the network: npm's registry must be reachable."
    : "";

const manifests = () => ["package.json", ...workspaces().map((folder) => `${folder}/package.json`)];

/** Returns the folder of pnpm in npx's cache. npx downloads pnpm once. */
async function findPnpm() {
  const args = ["--yes", "--fetch-retries=1", `--package=${PNPM}`, "-c", "node -p process.env.PATH"];
  const asked = await exec("npx", args, { shell: process.platform === "win32" });
  if (asked.code === 127) return { problem: `npx is missing: it comes with npm. ${asked.output}` };
  const pnpm = asked.output
    .split(/\r?\n/)
    .flatMap((line) => line.split(delimiter))
    .find((folder) => ["pnpm", "pnpm.cmd"].some((name) => existsSync(join(folder, name))));
  return pnpm
    ? { pnpm }
    : { problem: `${asked.output}\nGetting ${PNPM} through npx failed.${hint(asked.output)}` };
}
