import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryStore, runtime } from "@pawl/core";
import { diskFiles } from "@pawl/core/disk";
import { coach, coachDeps, userFiles, withFrontMatter } from "@pawl/example-coach";
import { strictModel } from "@pawl/testing";

// Measures the coach's context: its size, the time to build it, and the time to save a file. The files are on
// this disk: of a new user, of one after a year of messages, and of one whose every section is full. The
// coach's limits are 15,000 tokens, 200 ms and 500 ms.

const rounds = Number(process.argv[2] ?? 20);
const DAY = 86_400_000;
const day = (ago: number): string => new Date(Date.now() - ago * DAY).toISOString().slice(0, 10);

const dir = await mkdtemp(join(tmpdir(), "bench-coach-"));
console.log("| user | prompt, context and tools | context, median | context, slowest | saving, median |");
console.log("| --- | --- | --- | --- | --- |");
try {
  for (const [name, size] of [
    ["new", 0],
    ["a year of days", 700],
    ["every section full", 30_000],
  ] as const) {
    const files = diskFiles(join(dir, String(size)));
    if (size > 0) await live(userFiles(files, "ada"), size);
    console.log(await row(name, files));
  }
} finally {
  await rm(dir, { recursive: true, force: true });
}

async function live(files: ReturnType<typeof diskFiles>, size: number): Promise<void> {
  const text = (what: string): string =>
    `# ${what}\n\n${"Something that was said, as it was said. ".repeat(size / 40)}`;
  const put = async (path: string, attributes: object = {}): Promise<void> =>
    await files.put(`${path}.md`, withFrontMatter({ ...attributes }, text(path)));
  for (const one of ["sage/context", "sage/patterns", "life-map/overview", "life-map/life-plan"])
    await put(one);
  for (let ago = 0; ago < 365; ago += 1) {
    await put(`daily-logs/${day(ago)}`, { energy: "low" });
    await put(`day-plans/${day(ago)}`);
    if (ago % 7 === 0) await Promise.all([put(`check-ins/${day(ago)}`), put(`weekly-plans/${day(ago)}`)]);
    if (ago % 3 === 0) await put(`captures/${day(ago)}-a`, ago > 10 ? { folded_into: "x" } : {});
  }
  for (const domain of ["work", "money", "health", "family", "love", "friends", "growth", "play"])
    await put(`domains/${domain}`, { status: "needs_attention" });
}

async function row(name: string, files: ReturnType<typeof diskFiles>): Promise<string> {
  const taken: number[] = [];
  const saving: number[] = [];
  const model = strictModel({
    rules: ({ messages }) => {
      const said = JSON.stringify(messages.at(-1));
      if (said.includes("tool_result")) return { text: "Saved." };
      return {
        tools: [
          { name: "save_file", input: { file_type: "capture", file_name: "bench", content: "A thought." } },
        ],
      };
    },
  });
  const store = memoryStore();
  const agent = coach({ model, onContext: ({ durationMs }) => void taken.push(durationMs) });
  const pawl = runtime({ agents: [agent], store, deps: coachDeps({ files, store }) });
  for (let n = 0; n < rounds; n += 1) {
    const { sessionId } = await pawl.run("coach", { userId: "ada", input: "Save it" }).result;
    for await (const event of store.read(sessionId, { types: ["tool_result"] }))
      saving.push(event.durationMs ?? Number.NaN);
  }
  const { system, tools, messages } = model.requests[0] ?? {};
  const tokens = Math.ceil(JSON.stringify({ system, tools, messages }).length / 4);
  const sorted = taken.toSorted((a, b) => a - b);
  return `| ${name} | ${tokens} tokens | ${median(taken)} ms | ${sorted.at(-1)?.toFixed(0)} ms | ${median(saving)} ms |`;
}

function median(values: readonly number[]): string {
  return (values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN).toFixed(0);
}
