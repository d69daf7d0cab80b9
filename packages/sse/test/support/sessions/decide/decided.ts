import type { Json, StoredEvent, StoredOf } from "@pawl/core";

/** What a log says about a call. */
export interface Decided {
  readonly callId: string;
  readonly tool: string;
  readonly run: string;
  /** The event of the call. */
  readonly seq: number;
  /** The agent's role that has called it. */
  readonly role?: string | undefined;
  /** The input as the model wrote it. */
  readonly written: Json;
  /** The input with which it ran, or with which its tool asked, if hooks have changed it. */
  edit?: { readonly input: Json; readonly for: "nobody" | "model" | "all" } | undefined;
  started: boolean;
  /** Whether a user was asked about it, and has not approved it in the end. */
  asked?: "asked" | "denied";
  outcome: "open" | "done" | "failed" | "skipped";
  result?: Json;
  /** The event with the result. */
  resultSeq: number;
}

/** What a log says about its calls, read without any code of the product. */
export function decidedIn(log: readonly StoredEvent[]): Decided[] {
  const calls = new Map<string, Decided>();
  let run = "";
  let role: string | undefined;
  for (const event of log) {
    if (event.type === "run_started") run = event.data.run_id;
    if (event.type === "llm_request") role = event.data.role;
    if (event.type === "tool_call") {
      const { call_id: callId, tool_name: tool, arguments: written } = event.data;
      const made = { started: false, outcome: "open" as const, resultSeq: 0 };
      calls.set(callId, { callId, tool, run, seq: event.seq, role, written, ...made });
    }
    const known = calls.get(String(Object(event.data).call_id));
    if (known !== undefined) takeEvent(known, event);
  }
  return [...calls.values()];
}

function takeEvent(call: Decided, event: StoredEvent): void {
  switch (event.type) {
    case "tool_started":
      call.started = true;
      call.edit = editIn(event);
      break;
    case "tool_suspended":
      call.asked ??= "asked";
      // A hook's question is about an input that later hooks may change.
      if (event.data.by === undefined && !call.started) call.edit = editIn(event);
      if (event.data.kind === "approval") call.asked = "denied";
      break;
    case "tool_answered":
      if (Object(event.data.value).approved === true) call.asked = "asked";
      break;
    case "tool_result": {
      const { success, skipped, result } = event.data;
      call.outcome = skipped !== undefined ? "skipped" : success ? "done" : "failed";
      call.result = result;
      call.resultSeq = event.seq;
      break;
    }
  }
}

function editIn({ data }: StoredOf<"tool_started" | "tool_suspended">): Decided["edit"] {
  if (data.input === undefined) return undefined;
  return { input: data.input, for: data.input_for ?? "nobody" };
}

/** The input that a call's reader learns. */
export function inputFor(who: "model" | "pages", { edit, written }: Decided): Json {
  const isTold = edit?.for === "all" || (who === "model" && edit?.for === "model");
  return isTold ? (edit?.input as Json) : written;
}

/** The ids of the calls about which a redaction has removed something. */
export function redactedCalls(log: readonly StoredEvent[]): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const event of log) {
    if (event.type !== "redaction") continue;
    const { seq, call_id } = event.data;
    if (call_id !== undefined) ids.add(call_id);
    if (log[seq - 1]?.type !== "assistant_message") continue;
    // The calls of an answer follow it.
    const after = log.slice(seq);
    for (const { data } of after.slice(
      0,
      after.findIndex(({ type }) => type !== "tool_call"),
    ))
      ids.add(String(Object(data).call_id));
  }
  return ids;
}
