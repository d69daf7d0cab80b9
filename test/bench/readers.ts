/**
 * `npm run bench readers`: measures a run with many readers, with and without stalled ones, in turns. Prints
 * a table. `npm run bench readers 5` sets the rounds.
 */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { pause } from "../support/pause.ts";
import { serverProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";

const ROUNDS = Number(process.argv[2] ?? 5);
const READERS = 500;
const STALLED = 50;

interface Stats {
  /** The memory in use after a garbage collection, in bytes. */
  held: number;
  peak: number;
  cpuMs: number;
  /** Stalled connections that the server has noticed. */
  blocked: number;
}

interface Round {
  /**
   * `runMs`: until the run ended. `wallMs`: until every reader that reads had received the end. In
   * milliseconds.
   */
  runMs: number;
  wallMs: number;
  cpuMs: number;
  peakMb: number;
  /** The memory after the run, when all readers have left. */
  restMb: number;
  /** The data sent to the readers that read. */
  megabytes: number;
  blocked: number;
}

const server = await serverProcess("./readers-server.ts", []);
await server.start();
const url = `http://127.0.0.1:${server.port}`;
let sessionId: string | undefined;
try {
  const found = { none: [] as Round[], some: [] as Round[] };
  const first = await send();
  sessionId = first.headers.get("x-pawl-session") ?? "";
  await first.text();
  // The first rounds are not counted: they are slower, and the process has used less memory.
  for (const stalled of [0, STALLED]) await round(stalled);
  for (let n = 0; n < ROUNDS; n += 1) {
    found.none.push(await round(0));
    found.some.push(await round(STALLED));
  }
  console.log(
    `| ${READERS} readers of one run | none stalled | ${STALLED} stalled | ratio | wanted |\n| --- | --- | --- | --- | --- |`,
  );
  row("ms until the run is over", "runMs", "<= 1.2");
  row("ms until all who read have seen it", "wallMs", "<= 1.2");
  row("ms of CPU", "cpuMs", "");
  row("MB sent to those who read", "megabytes", "");
  row("connections that are blocked at the end", "blocked", "");
  row("MB of memory at its peak (RSS)", "peakMb", "<= 1.2");
  row("MB in use when all have left", "restMb", "<= 1.2");
  const rest = [...found.none, ...found.some].map(({ restMb }) => restMb);
  console.log(`\nIn use after each round: ${rest.map((mb) => mb.toFixed(0)).join(", ")} MB`);

  function row(what: string, name: keyof Round, wanted: string): void {
    const [none, some] = [
      median(found.none.map((one) => one[name])),
      median(found.some.map((one) => one[name])),
    ];
    console.log(
      `| ${[what, none.toFixed(0), some.toFixed(0), (some / none).toFixed(2), wanted].join(" | ")} |`,
    );
  }
} finally {
  await server.kill();
}

async function round(stalled: number): Promise<Round> {
  const after = await lastSeq();
  // Stalled readers request the whole past, which fills every buffer before the run begins.
  const idle = await Promise.all(Array.from({ length: stalled }, () => reader(0, true)));
  await until(async () => (await stats()).blocked >= stalled);
  const readers = await Promise.all(Array.from({ length: READERS - stalled }, () => reader(after, false)));
  const before = await stats();
  const began = performance.now();
  const begun = await send();
  const run = begun.text().then(() => performance.now() - began);
  await Promise.all(readers.map(({ ended }) => ended));
  const wallMs = performance.now() - began;
  const runMs = await run;
  const cost = await stats();
  const megabytes = readers.reduce((sum, { socket }) => sum + socket.bytesRead, 0) / 1e6;
  for (const { socket } of [...readers, ...idle]) socket.destroy();
  await pause(2_000, "the server notices that its readers have gone");
  await stats();
  const rest = await stats();
  const mb = (bytes: number) => bytes / 2 ** 20;
  const cpuMs = cost.cpuMs - before.cpuMs;
  return {
    runMs,
    wallMs,
    cpuMs,
    peakMb: mb(cost.peak),
    restMb: mb(rest.held),
    megabytes,
    blocked: cost.blocked,
  };
}

/** Follows a session over a connection of its own. A stalled reader sends its request and reads nothing. */
async function reader(
  after: number,
  isStalled: boolean,
): Promise<{ socket: Socket; ended: Promise<unknown> }> {
  const socket = connect(server.port, "127.0.0.1");
  await once(socket, "connect");
  socket.on("error", () => undefined);
  if (isStalled) socket.pause();
  socket.write(
    `GET /sessions/${sessionId}/stream?after=${after} HTTP/1.1\r\nhost: x\r\naccept: text/event-stream\r\n\r\n`,
  );
  if (isStalled) return { socket, ended: Promise.resolve() };
  let last = Buffer.alloc(0);
  const ended = new Promise((resolve) => {
    socket.on("data", (chunk) => {
      last = Buffer.concat([last.subarray(-40), chunk.subarray(-4_000)]);
      if (last.includes('"type":"run_ended"')) resolve(undefined);
    });
  });
  return { socket, ended };
}

async function send(): Promise<Response> {
  return await fetch(`${url}/runs`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...(sessionId !== undefined && { sessionId }), input: "Go" }),
  });
}

async function lastSeq(): Promise<number> {
  return ((await (await fetch(`${url}/sessions/${sessionId}`)).json()) as { cursor: number }).cursor;
}

async function stats(): Promise<Stats> {
  return (await (await fetch(`${url}/stats`)).json()) as Stats;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}
