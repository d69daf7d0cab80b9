import * as z from "zod";
import { type Schema, type Tool, tool } from "../../src/index.ts";
import { never } from "./setup.ts";

/** Inputs of tools. */
export const nothing = z.object({});
export const text = z.object({ text: z.string() });

/** Asks the user about its input. The answer is a text. */
export function askWith<S extends Schema>(input: S) {
  return tool({ name: "ask", description: "Asks.", input, suspends: { answer: z.string() } });
}

export const ask = askWith(nothing);

/** A call of `ask`. */
export const question = { name: "ask", id: "toolu_q" };

/** Returns at once. */
export const look = tool({ name: "look", description: "Looks.", input: nothing, execute: () => "seen" });

/** Never returns, and ignores its abort signal. */
export const hang = tool({
  name: "hang",
  description: "Hangs.",
  input: nothing,
  execute: never,
});

/** Returns a long text. */
export const readLong = tool({
  name: "read",
  description: "Reads.",
  input: z.object({ n: z.number() }),
  execute: ({ n }) => `${n} `.repeat(400),
});

/** Returns the text that it was given. */
export const echoTool = tool({
  name: "echo",
  description: "Says it again.",
  input: text,
  execute: ({ text: said }) => said,
});

/** Makes a tool that returns its text behind "echo ", and the list of the texts that it ran with. */
export function echo(name = "echo", options: Partial<Parameters<typeof tool>[0]> = {}) {
  const ran: string[] = [];
  const made = tool({
    name,
    description: "",
    input: text,
    execute: ({ text: said }: z.infer<typeof text>) => {
      ran.push(said);
      return `echo ${said}`;
    },
    ...(options as object),
  });
  return { ran, tool: made as Tool<unknown> };
}

/** A call of a tool whose input is a text. */
export const calling = (name: string, said = "a", id?: string) => ({
  name,
  input: { text: said },
  ...(id !== undefined && { id }),
});
