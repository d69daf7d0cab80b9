import { type Reply, type StrictModel, type StrictModelOptions, strictModel } from "@pawl/testing";
import * as z from "zod";
import { type AgentOptions, agent, type RuntimeOptions, tool } from "../../src/index.ts";
import { type Conversation, conversation } from "./conversation.ts";

export const lookup = tool({
  name: "lookup",
  description: "Looks a booking up.",
  input: z.object({}),
  execute: () => "Booking 7.",
});
export const updateSeat = tool({
  name: "update_seat",
  description: "Updates a seat.",
  input: z.object({ seat: z.string() }),
  execute: ({ seat }) => `Seat ${seat}.`,
});
export const refund = tool({
  name: "refund",
  description: "Refunds a ticket.",
  input: z.object({}),
  execute: () => "Refunded.",
});

/** A reply with a call that hands the conversation over. */
export const transfer = (...roles: string[]): Reply => ({
  tools: roles.map((role) => ({ name: `transfer_to_${role}`, input: {} })),
});

/** A reply that updates a seat. */
export const update = (seat: string): Reply => ({ tools: [{ name: "update_seat", input: { seat } }] });

/** Roles that hand over from triage to seats and back. The role `refunds` can be reached from seats only. */
export const roles = {
  triage: { instructions: "Delegate.", to: ["seats"] },
  seats: {
    description: "Changes seats.",
    instructions: "Ask for the seat, then update it.",
    tools: [updateSeat],
    to: ["triage", "refunds"],
  },
  refunds: { instructions: "Refund.", tools: [refund] },
};

export interface Airline extends Conversation {
  model: StrictModel;
}

/** An agent with roles, and a new process for each message. */
export function airline(
  script: readonly Reply[] | StrictModelOptions,
  options: Partial<AgentOptions<unknown>> = {},
  runtimeOptions: Partial<RuntimeOptions<unknown>> = {},
): Airline {
  const model = strictModel("length" in script ? { script } : script);
  const instructions = "You work for an airline.";
  const made = agent({ name: "airline", instructions, model, tools: [lookup], roles, ...options });
  return { model, ...conversation([made], runtimeOptions) };
}
