import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NODE_FLAGS } from "../../support/node-flags.ts";
import type { Attack, Limits } from "./attack.ts";
import type { Verdict } from "./judge.ts";

/** How long a process may load its modules, which does not count as a part of the attempt, in milliseconds. */
const BEGIN_MS = 120_000;

const PROGRAM = new URL("./attempt.ts", import.meta.url).pathname;

/** What a file says about its attack, without the function. */
export type Listed = WithoutAttempt<Attack> & { readonly file: string };
type WithoutAttempt<A> = A extends unknown ? Omit<A, "attempt"> : never;

/** Returns the files of attacks: those in the folders of `folder`, but not the frame and the shared parts. */
export function filesIn(folder: string): string[] {
  const kinds = readdirSync(folder, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && entry.name !== "frame" && entry.name !== "parts",
  );
  const files = kinds.flatMap(({ name }) => readdirSync(join(folder, name)).map((file) => join(name, file)));
  return files
    .filter((file) => file.endsWith(".ts"))
    .sort()
    .map((file) => join(folder, file));
}

/** Reads what files say about their attacks, all in one process. */
export async function list(files: readonly string[]): Promise<Listed[]> {
  const { message, failure } = await answerOf(["list", ...files], {});
  if (message === undefined) throw new Error(failure);
  return (message as Attack[]).map((attack, at) => ({ ...attack, file: files[at] ?? "" }));
}

/**
 * Tries the attack in a file, in a process and a directory of its own. Kills the process, and all that it has
 * started, at the end or at one of the limits.
 *
 * @param postgres the address that answers with the connection string of a Postgres
 */
export async function tryAttack(file: string, limits: Limits = {}, postgres = ""): Promise<Verdict> {
  const { message, failure } = await answerOf(["try", file], limits, postgres);
  return (message as Verdict | undefined) ?? { kind: "fault", seen: failure };
}

interface Answer {
  /** `undefined` if the process ended without an answer. */
  message: unknown;
  failure: string;
}

async function answerOf(args: readonly string[], limits: Limits, postgres = ""): Promise<Answer> {
  const { ms = 120_000, memoryMb = 1_500 } = limits;
  const folder = mkdtempSync(join(tmpdir(), "pawl-attack-"));
  const env = { ...process.env, TMPDIR: folder, PAWL_TEST_POSTGRES: postgres };
  const child = spawn(process.execPath, [...NODE_FLAGS, PROGRAM, ...args], {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    detached: true,
    env,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => {
      output = (output + chunk).slice(-2_000);
    });
  const answer: Answer = { message: undefined, failure: "" };
  const fail = (failure: string) => {
    answer.failure ||= failure;
    killGroup(child);
  };
  const late = () => fail(`did not end within ${ms / 1_000} s`);
  let timer = setTimeout(() => fail("did not begin within 120 s"), BEGIN_MS);
  child.on("message", (message) => {
    if (message === "begun") {
      clearTimeout(timer);
      timer = setTimeout(late, ms);
    } else answer.message = message;
  });
  const watch = setInterval(() => {
    const held = residentMb(child.pid);
    if (held > memoryMb) fail(`held ${held} MB of memory, more than ${memoryMb}`);
  }, 100);
  const closed = once(child, "close");
  const [code, signal] = await once(child, "exit");
  clearTimeout(timer);
  clearInterval(watch);
  // Ends programs that it started and did not end, which may also hold its output open.
  killGroup(child);
  await closed;
  rmSync(folder, { recursive: true, force: true });
  answer.failure ||= `ended with ${code ?? signal} before it answered. ${output}`;
  return answer;
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Returns the memory of a process in MB, where the system tells it; 0 elsewhere, and after its end. */
function residentMb(pid: number | undefined): number {
  try {
    const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return Math.round(Number(kilobytes ?? 0) / 1_000);
  } catch {
    return 0;
  }
}
