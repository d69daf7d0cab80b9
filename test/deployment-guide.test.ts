// Runs the program for Express of docs/guide/deployment.md as a process of its own.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SignJWT } from "jose";
import { expect, it, onTestFinished } from "vitest";
import { freePort } from "./support/postgres-server.ts";
import { prepareDatabase } from "./support/prepared-database.ts";

const guide = join(import.meta.dirname, "..", "docs", "guide", "deployment.md");
const folder = join(import.meta.dirname, ".deployment-guide");
const SECRET = "a secret of at least thirty-two characters";

/** Starts the program, and waits until it listens. */
async function start(env: Readonly<Record<string, string>>) {
  const page = await readFile(guide, "utf8");
  const found = [...page.matchAll(/^```ts compile\n([\s\S]*?)\n```$/gm)].map(([, code = ""]) => code);
  const programs = found.filter((code) => code.includes('from "express"'));
  expect(programs).toHaveLength(1);
  await mkdir(folder, { recursive: true });
  const file = join(folder, "server.ts");
  await writeFile(file, programs[0] ?? "");
  const { ANTHROPIC_API_KEY: _, ...rest } = process.env;
  const child = spawn(process.execPath, [file], {
    env: { ...rest, NODE_NO_WARNINGS: "1", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
    await rm(folder, { recursive: true, force: true });
  });
  const [line] = await Promise.race([once(child.stdout, "data"), exited]);
  return { url: String(line).trim(), child, exited };
}

async function bearer(key: string, expires = "1 minute"): Promise<{ authorization: string }> {
  const claims = new SignJWT({ sub: "ada" }).setProtectedHeader({ alg: "HS256" }).setExpirationTime(expires);
  return { authorization: `Bearer ${await claims.sign(new TextEncoder().encode(key))}` };
}

it("U10 the program for Express serves the owner of a token, and ends on SIGTERM", async () => {
  const dir = await mkdtemp(join(tmpdir(), "pawl-"));
  onTestFinished(async () => await rm(dir, { recursive: true, force: true }));
  await prepareDatabase(join(dir, "db"));
  const { url, child, exited } = await start({
    JWT_SECRET: SECRET,
    PORT: String(await freePort()),
    DATA_DIR: join(dir, "db"),
  });
  expect(url).toMatch(/^http:\/\/localhost:\d+\/api\/coach$/);
  expect(await (await fetch(new URL("/health", url))).text()).toBe("ok");

  const send = async (headers: Record<string, string>): Promise<Response> =>
    await fetch(`${url}/runs`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ input: "Good morning" }),
    });
  expect((await send({})).status).toBe(401);
  expect((await send({ authorization: "Bearer nonsense" })).status).toBe(401);
  expect((await send(await bearer("another secret of thirty-two chars"))).status).toBe(401);
  expect((await send(await bearer(SECRET, "1 minute ago"))).status).toBe(401);

  const headers = await bearer(SECRET);
  const answered = await send(headers);
  expect(answered.status).toBe(200);
  expect(await answered.text()).toContain("Hello.");
  const { sessions } = (await (await fetch(`${url}/sessions`, { headers })).json()) as {
    sessions: { userId: string; id: string }[];
  };
  expect(sessions).toMatchObject([{ userId: "ada" }]);

  // A reader stays connected: SIGTERM must end its stream too.
  const reader = await fetch(`${url}/sessions/${sessions[0]?.id}/stream`, { headers });
  child.kill("SIGTERM");
  await reader.text();
  expect(await exited).toEqual([0, null]);
}, 60_000);
