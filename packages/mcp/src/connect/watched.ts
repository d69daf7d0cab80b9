import type { JsonObject } from "@pawl/core";
import { LOST, MISFIT } from "../base/failure.ts";
import { withoutLargeParts } from "../base/large-schema.ts";
import { asTaskResult } from "../base/task-wire.ts";
import { type Judge, resultKind } from "./judge.ts";
import { isList, withRawPage } from "./raw-list.ts";
import type { Transport } from "./sdk.ts";
import { mayAsk, type SessionStream } from "./session-stream.ts";
import type { Traffic } from "./traffic.ts";

type Message = Parameters<Transport["send"]>[0];
type Id = string | number;

/**
 * Makes a transport do eight things that the SDK (2.4) does not do.
 *
 * - It fails a request whose stream ends without an answer. The SDK would wait until the request's time limit
 *   (typescript-sdk #2739).
 * - It delivers a call that became a task. The SDK drops the task, although it runs.
 * - It limits what a server may send before it answers. The SDK answers each request of a server with a
 *   request of its own, all at once.
 * - It refuses an answer with many mistakes. The SDK would collect them all.
 * - It removes schemas and metadata with more values than tools may have. The SDK would copy them, several
 *   times.
 * - It delivers lists with malformed entries. The SDK would refuse the whole list.
 * - It ends the stream of a request that was cancelled. The SDK would read an older server's to its end.
 * - It has the session's own stream open while an older server may ask. The SDK would keep it open for ever,
 *   and with it the process.
 *
 * @param judge judges what a server sends
 * @param traffic counts what the server sends
 * @param stream the session's own stream, over HTTP
 */
export function watched(
  transport: Transport,
  judge: Judge,
  traffic: Traffic,
  stream?: Pick<SessionStream, "join">,
): Transport {
  const { open } = traffic;
  const send = transport.send.bind(transport);
  let receive: Transport["onmessage"];
  Object.defineProperty(transport, "onmessage", {
    configurable: true,
    get: () => receive,
    set: (handler: Transport["onmessage"]) => {
      receive =
        handler &&
        ((message, extra) => {
          const flood = floodOf(message, traffic);
          const refusal = flood === undefined ? refusalOf(message, judge) : undefined;
          if (refusal !== undefined) return void send(refusal).catch(() => undefined);
          if (flood === undefined)
            return handler(judged(delivered(transport, message, traffic), judge), extra);
          for (const id of [...open.keys()])
            handler(delivered(transport, errorFor(id, flood, LOST), traffic).message);
        });
    },
  });
  transport.send = (message, options) => {
    const id = idOf(message);
    if (id === undefined) {
      forget(message, open);
      return send(message, options);
    }
    const { method, params } = message as { method: string; params?: { task?: unknown; _meta?: JsonObject } };
    const isModern = params?._meta?.[MODERN] !== undefined;
    const request = traffic.sent(id, { method, asksForTask: params?.task !== undefined }, isModern);
    const requestSignal = options?.requestSignal ?? request.ended.signal;
    requestSignal.addEventListener("abort", () => traffic.over(id), { once: true });
    const onRequestStreamEnd = () => {
      if (open.has(id)) receive?.(errorFor(id, "The stream ended without an answer.", LOST));
    };
    const onresumptiontoken = (token: string) => {
      request.token = token;
      options?.onresumptiontoken?.(token);
    };
    const more = { requestSignal, onRequestStreamEnd, onresumptiontoken };
    const joined = isModern || !mayAsk(method) ? undefined : stream?.join();
    request.onOver = joined?.leave;
    // It may have been cancelled meanwhile.
    const go = async () => (open.has(id) ? await send(message, { ...options, ...more }) : undefined);
    return (joined === undefined ? go() : joined.ready.then(go)).catch((error: unknown) => {
      traffic.over(id);
      throw error;
    });
  };
  return transport;
}

/** The field by which a request says that its protocol has no requests of servers. */
const MODERN = "io.modelcontextprotocol/protocolVersion";

/** Counts a message. Returns what is wrong if the server sends more than it may. */
function floodOf(message: Message, { open, received }: Traffic): string | undefined {
  if (!("method" in message)) return open.has(message.id as Id) ? undefined : received("notifications");
  return received("id" in message ? "requests" : "notifications");
}

/** Transports over which a call became a task. */
const withTasks = new WeakSet<Transport>();

/** Whether the session of a connection must live on, because a task may still be in it. */
export function hasTasks(transport: Transport): boolean {
  return withTasks.has(transport);
}

/** A message on its way to the SDK, with the method of the request that it answers. */
interface Delivered {
  message: Message;
  method?: string;
}

/** Notes that a request has its answer. Returns the answer in a form that the SDK lets through. */
function delivered(transport: Transport, message: Message, { open, over }: Traffic): Delivered {
  if (!("id" in message) || "method" in message) return { message };
  const request = open.get(message.id as Id);
  over(message.id as Id);
  if (request === undefined || !("result" in message)) return { message };
  const { method, asksForTask } = request;
  if (method !== "tools/call") return { message, method };
  const result = asTaskResult(message.result as never, asksForTask, transport.sessionId);
  if (result !== undefined) withTasks.add(transport);
  return { message: result === undefined ? message : ({ ...message, result } as Message), method };
}

/** Returns the message without large parts of tools; an error in place of an answer with many mistakes. */
function judged({ message, method = "" }: Delivered, judge: Judge): Message {
  if (!("result" in message)) return message;
  if (isList(method)) {
    const result = method === "tools/list" ? withoutLargeParts(message.result) : message.result;
    return { ...message, result: withRawPage(method, result) } as Message;
  }
  const kind = resultKind(method);
  const wrong = kind && judge(kind, message.result);
  return wrong === undefined ? message : errorFor(message.id as Id, wrong, MISFIT);
}

/** Returns the answer to a server's request that has too many mistakes. Only questions can have many. */
function refusalOf(message: Message, judge: Judge): Message | undefined {
  if (!("method" in message && "id" in message) || message.method !== "elicitation/create") return undefined;
  const wrong = judge("ElicitRequest", message);
  if (wrong === undefined) return undefined;
  return { jsonrpc: "2.0", id: message.id, error: { code: INVALID_PARAMS, message: wrong } } as Message;
}

const INVALID_PARAMS = -32_602;

/** A request that was cancelled gets no answer. */
function forget(message: Message, open: Traffic["open"]): void {
  const { method, params } = message as { method?: string; params?: { requestId?: Id } };
  if (method === "notifications/cancelled" && params?.requestId !== undefined)
    open.get(params.requestId)?.ended.abort();
}

function idOf(message: Message): Id | undefined {
  return "method" in message && "id" in message ? (message.id as Id) : undefined;
}

/** Returns the answer that a transport makes up for a request that gets no other. */
export function errorFor(id: Id, text: string, reason: string): Message {
  return { jsonrpc: "2.0", id, error: { code: -32_000, message: text, data: { reason } } } as Message;
}
