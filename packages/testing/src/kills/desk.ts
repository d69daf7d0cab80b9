import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Records, StepRecord } from "./records.ts";
import { ONCE } from "./story.ts";

/** What a worker reports to the harness, as JSON. */
export type WorkerReport =
  | ({ kind: "step" } & StepRecord)
  | { kind: "took"; worker: string; sessionId: string; epoch: number }
  | { kind: "gave"; worker: string; sessionId: string; epoch: number }
  | { kind: "given"; worker: string; sessionId: string }
  | { kind: "done"; worker: string; sessionId: string }
  | { kind: "refused"; worker: string }
  | { kind: "stored"; worker: string; sessionId: string; seq: number; types: string[]; epoch?: number };

/** The server to which workers report. */
export interface Desk {
  readonly url: string;
  close(): Promise<void>;
}

/** How long a step takes, in milliseconds: long enough for kills to come in the middle. */
const STEP_MS = 100;

/** What the harness does with reports. */
export interface DeskOptions {
  records: Records;
  /** Called when a worker has started. */
  onReady(worker: string): void;
  /** Called before a step is taken, and awaited. */
  onStep(step: StepRecord): Promise<void>;
}

/** Starts the server. A worker keeps a request to `/life` open: it ends if the harness is gone. */
export async function openDesk({ records, onReady, onStep }: DeskOptions): Promise<Desk> {
  const take = async (report: WorkerReport): Promise<void> => {
    if (report.kind === "took") records.took(report.worker, report.sessionId, report.epoch);
    else if (report.kind === "gave") records.gave(report.sessionId, report.epoch);
    else if (report.kind === "given") records.given(report.worker, report.sessionId);
    else if (report.kind === "done") records.done(report.worker, report.sessionId);
    else if (report.kind === "refused") records.refused += 1;
    else if (report.kind === "stored") records.stored(report);
    else await takeStep(report);
  };
  const takeStep = async (step: StepRecord): Promise<void> => {
    await onStep(step);
    if (step.tool === ONCE) records.paying.push(step.worker);
    await sleep(STEP_MS);
    if (step.tool === ONCE) records.paying.splice(records.paying.indexOf(step.worker), 1);
  };
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? "", "http://desk");
    if (url.pathname === "/life") {
      response.writeHead(200).flushHeaders();
      onReady(url.searchParams.get("worker") ?? "");
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    await take(JSON.parse(Buffer.concat(chunks).toString()) as WorkerReport);
    response.end();
  };
  const server = createServer((request, response) => {
    // A worker may be killed in the middle of a report.
    serve(request, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
