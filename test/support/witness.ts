import assert from "node:assert/strict";
import { type AgentClient, createAgentClient } from "@pawl/client";
import type { EventData, SessionEvent, StoredEvent } from "@pawl/core";
import { type Delta, parseCursor, type ViewState } from "@pawl/core/view";

/** A client that checks everything it receives. */
export interface Witness {
  client: AgentClient;
  /** The problems found so far. */
  readonly faults: string[];
  /** The most recent events, for failure messages. */
  readonly trace: string[];
  readonly counts: { streams: number; exact: number; restarts: number };
  /** Compares the client's state with the log. Call it once the client has received all events. */
  check(log: readonly StoredEvent[], view: ViewState): void;
}

/** Returns a listener that checks a client's events and collects problems. */
function listener(
  trace: string[],
  faults: string[],
  counts: Witness["counts"],
  seqs: number[],
): (event: SessionEvent) => void {
  const texts = new Map<string, string>();
  const begins = ({ attempt, content }: EventData["assistant_message"]) => {
    for (const [index, block] of content.entries()) {
      const have = texts.get(`${attempt}:${index}`) ?? "";
      const whole = block.type === "tool_use" ? have : String(block.text ?? block.thinking);
      if (!whole.startsWith(have)) faults.push(`${have} is no beginning of ${whole}`);
    }
  };
  const takeText = ({ attempt, index, offset, text }: Delta) => {
    const key = `${attempt}:${index}`;
    const have = texts.get(key) ?? "";
    if (offset !== have.length) faults.push(`${key}: ${offset} after ${have.length} characters`);
    texts.set(key, have + text);
  };
  return (event) => {
    trace.push(
      `${"seq" in event ? event.seq : ""} ${event.type} ${event.type.endsWith("delta") ? JSON.stringify(event.data).slice(0, 80) : ""}`,
    );
    const last = seqs.at(-1);
    if ("seq" in event) seqs.push(event.seq);
    if ("seq" in event && last !== undefined && event.seq !== last + 1)
      faults.push(`${event.seq} after ${last}`);
    switch (event.type) {
      case "text_delta":
      case "thinking_delta":
      case "tool_input_delta":
        return takeText(event.data);
      case "attempt_restarted":
        counts.restarts += 1;
        return texts.clear();
      case "assistant_message":
        begins(event.data);
        return texts.clear();
      case "llm_request":
      case "run_recovered":
        // Text that became void must have been announced before.
        if (texts.size > 0)
          faults.push(`${event.type} ${event.seq} comes without an attempt_restarted for the text before it`);
        return texts.clear();
      default:
    }
  };
}

/** Opens a session with a real client, and checks every event, state and stream. */
export function witness(url: string, sessionId: string): Witness {
  const faults: string[] = [];
  const counts = { streams: 0, exact: 0, restarts: 0 };
  const seqs: number[] = [];
  const trace: string[] = [];
  const client = createAgentClient({
    url,
    sessionId,
    onEvent: listener(trace, faults, counts, seqs),
    silenceMs: 1_500,
    fetch: watched(trace, counts, faults),
  });
  const shown = new Map<string, string>();
  client.subscribe(() => {
    for (const part of client.getState().messages.flatMap(({ parts }) => parts)) {
      if (part.type !== "text" && part.type !== "thinking") continue;
      const before = shown.get(part.key) ?? "";
      if (!part.text.startsWith(before)) faults.push(`${part.key} shrinks from ${before} to ${part.text}`);
      shown.set(part.key, part.text);
    }
  });
  return {
    client,
    faults,
    counts,
    trace,
    check(log, view) {
      assert.deepEqual(faults, [], trace.slice(-200).join("\n"));
      const { messages, pending, runningTools, run, cursor } = client.getState();
      assert.deepEqual({ messages, pending, runningTools, run, cursor }, view);
      const first = seqs[0] ?? log.length + 1;
      assert.deepEqual(
        seqs,
        log.slice(first - 1).map(({ seq }) => seq),
      );
    },
  };
}

/** Returns a `fetch` that checks whether a stream resumes exactly at the requested position. */
function watched(trace: string[], counts: Witness["counts"], faults: string[]): typeof fetch {
  return async (input, init) => {
    trace.push(`REQUEST ${String(input)} ${new Headers(init?.headers).get("last-event-id")}`);
    const response = await fetch(input, init).catch((error: unknown) => {
      trace.push(`FAILED ${String(error)}`);
      throw error;
    });
    trace.push(`RESPONSE ${response.status}`);
    const from = parseCursor(new Headers(init?.headers).get("last-event-id") ?? "");
    if (!String(input).endsWith("/stream") || from === undefined || response.body === null) return response;
    counts.streams += 1;
    const { live } = from;
    if (live === undefined) return response;
    const decoder = new TextDecoder();
    let text = "";
    let known = false;
    const look = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        controller.enqueue(chunk);
        if (known) return;
        text += decoder.decode(chunk, { stream: true });
        const found = /id: \d+~(\d+)~(\d+)\ndata: (\{.*_delta".*\})\n\n/.exec(text);
        if (found === null) return;
        known = true;
        const [, attempt, chars, data = ""] = found;
        if (Number(attempt) !== live.attempt) return;
        const begins = Number(chars) - (JSON.parse(data) as { data: { text: string } }).data.text.length;
        if (begins === live.chars) counts.exact += 1;
        else faults.push(`asked for ${live.attempt}~${live.chars}, the stream goes on at ${begins}`);
      },
    });
    return new Response(response.body.pipeThrough(look), response);
  };
}
