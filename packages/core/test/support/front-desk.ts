import { type Reply, type StrictModel, type StrictModelOptions, strictModel } from "@pawl/testing";
import * as z from "zod";
import {
  type Agent,
  type AgentOptions,
  agent,
  type Runtime,
  type RuntimeOptions,
  type StoredEvent,
  tool,
} from "../../src/index.ts";
import { type Conversation, conversation } from "./conversation.ts";

export const invoice = tool({
  name: "invoice",
  description: "Reads an invoice.",
  input: z.object({}),
  idempotent: true,
  execute: () => "Invoice 7.",
});

type Script = readonly Reply[] | StrictModelOptions;

const modelOf = (script: Script) => strictModel("length" in script ? { script } : script);

export interface FrontDesk extends Conversation {
  desk: StrictModel;
  billing: StrictModel;
  /** Starts a process of a later version, which lacks the agent `billing`. */
  bootAlone(options?: Partial<RuntimeOptions<unknown>>): Runtime;
}

type Options = Partial<AgentOptions<unknown>>;

/** Two agents that hand over to each other, and a new process for each message to the desk. */
export function frontDesk(
  scripts: { desk: Script; billing: Script },
  options: {
    desk?: Options;
    billing?: Options;
    others?: Agent[];
    runtime?: Partial<RuntimeOptions<unknown>>;
  } = {},
): FrontDesk {
  const [desk, billing] = [modelOf(scripts.desk), modelOf(scripts.billing)];
  const first = { name: "desk", instructions: "You are the desk.", model: desk };
  const talk = conversation(
    [
      agent({ ...first, handOverTo: { billing: "It knows invoices." }, ...options.desk }),
      agent({
        ...{ name: "billing", instructions: "You know invoices.", model: billing, tools: [invoice] },
        handOverTo: { desk: "It knows everything else." },
        ...options.billing,
      }),
      ...(options.others ?? []),
    ],
    options.runtime,
  );
  const bootAlone: FrontDesk["bootAlone"] = (more) =>
    talk.bootOther([agent({ ...first, ...options.desk, handOverTo: {} })], more);
  return { ...{ desk, billing, bootAlone }, ...talk };
}

export const done = { text: "Done." };
export const user = { userId: "u1", sessionId: "s1" };
export const readInvoice = { tools: [{ name: "invoice", input: {} }] };

/** The agent of each run, in order. */
export const agents = (log: readonly StoredEvent[]) =>
  log.flatMap(({ type, data }) => (type === "run_started" ? [data.agent] : []));

/** Who answers each request, in order. */
export const speakers = (log: readonly StoredEvent[]) =>
  log.flatMap(({ type, data }) => (type === "llm_request" ? [data.role] : []));

export const skips = (log: readonly StoredEvent[]) =>
  log.flatMap(({ type, data }) => (type === "tool_result" ? [data.skipped] : []));

export const isQueued = ({ type, data }: StoredEvent) => type === "user_message" && data.queued === true;

/** A hook that waits until the test opens it, once. */
export function held() {
  const { promise: reached, resolve } = Promise.withResolvers<void>();
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  const wait = async (): Promise<undefined> => {
    resolve();
    await opened;
  };
  return { reached, open, wait };
}

export const ends = (log: readonly StoredEvent[]) =>
  log.flatMap(({ type, data }) => (type === "run_ended" ? [data] : []));
