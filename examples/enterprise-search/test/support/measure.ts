// Builds an index in a folder and asks questions of it, in a process of its own with Node's usual flags:
// `node --conditions=@pawl/source measure.ts <folder> <documents> <questions>`. Prints what it measured as JSON.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { drawCompany, drawQuestions, embeddedCompany } from "../../src/index.ts";

/** Times in milliseconds. `processor` is the processor time of all threads. */
export interface Measured {
  built: { wall: number; processor: number };
  opened: { wall: number; processor: number };
  /** How long the main thread could do nothing else at most, while the index was built. */
  blocked: number;
  questions: { wall: number[]; processor: number[] };
}

const [dataDir, documents, count] = process.argv.slice(2);
const options = { dataDir: dataDir as string, documents: Number(documents) };

async function timed(work: () => Promise<unknown>): Promise<{ wall: number; processor: number }> {
  const [began, before] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(before);
  return { wall: performance.now() - began, processor: (user + system) / 1_000 };
}

const delay = monitorEventLoopDelay({ resolution: 10 });
const first = embeddedCompany(options);
delay.enable();
const built = await timed(() => first.ready());
delay.disable();
await first.close();
const again = embeddedCompany(options);
const opened = await timed(() => again.ready());

const wall: number[] = [];
const processor: number[] = [];
const questions = drawQuestions(drawCompany({ documents: options.documents }), {
  seed: "known",
  count: Number(count),
});
for (const { asker, text } of questions) {
  const took = await timed(() => again.search.search(asker, { text }));
  wall.push(took.wall);
  processor.push(took.processor);
}
await again.close();
const measured: Measured = { built, opened, blocked: delay.max / 1e6, questions: { wall, processor } };
console.log(JSON.stringify(measured));
