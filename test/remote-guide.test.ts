// Runs the Python service of docs/guide/remote-tools.md, where Python is installed.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agent, memoryStore, runtime } from "@pawl/core";
import { remoteTools } from "@pawl/remote";
import { strictModel } from "@pawl/testing";
import { expect, it, onTestFinished } from "vitest";
import { freePort } from "./support/postgres-server.ts";

const page = await readFile(join(import.meta.dirname, "..", "docs", "guide", "remote-tools.md"), "utf8");
const program = /^```python\n([\s\S]*?)\n```$/m.exec(page)?.[1] ?? "";

it("T10 a Python program of ten lines serves a tool to an agent", async () => {
  expect(program.split("\n")).toHaveLength(10);
  const python = spawnSync("python3", ["--version"], { encoding: "utf8" });
  if (python.status !== 0) {
    console.log(
      `The Python service was not run: python3 --version failed (${python.error ?? python.stderr}).`,
    );
    return;
  }
  const folder = await mkdtemp(join(tmpdir(), "pawl-"));
  const port = await freePort();
  const file = join(folder, "service.py");
  await writeFile(file, program.replace("8000", String(port)));
  const service = spawn("python3", [file], { stdio: "ignore" });
  const ended = once(service, "exit");
  onTestFinished(async () => {
    service.kill("SIGKILL");
    await ended;
    await rm(folder, { recursive: true });
  });
  const url = `http://127.0.0.1:${port}`;
  await expect
    .poll(
      async () =>
        await fetch(url).then(
          ({ ok }) => ok,
          () => false,
        ),
      { timeout: 10_000 },
    )
    .toBe(true);

  const model = strictModel({
    script: [{ tools: [{ name: "get_rank", input: { playlist: "doubles" } }] }, { text: "Champion II." }],
  });
  const tools = remoteTools({ url, token: false });
  const coach = agent({ name: "coach", model, instructions: "You coach.", tools });
  const pawl = runtime({ agents: [coach], store: memoryStore() });
  const { actions, text } = await pawl.run("coach", { userId: "ada", input: "My rank?" }).result;
  expect([actions[0]?.result, text]).toEqual(["doubles: Champion II", "Champion II."]);
  expect(model.rejected).toEqual([]);
});
