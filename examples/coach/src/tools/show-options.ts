import { tool } from "@pawl/core";
import * as z from "zod";

/** An option, as the page shows it. */
export interface Option {
  id: string;
  label: string;
}

const label = z.string().trim().min(1).max(80);

const input = z.object({
  question: z.string().trim().min(1).max(300).describe("What the choices answer."),
  options: z
    .array(z.union([label, z.object({ id: z.string().trim().min(1).max(40), label })]))
    .min(2)
    .max(5)
    .describe("Two to five short choices in the person's own voice."),
});

/**
 * Asks the user with buttons. The run waits without a time limit. The answer is the id or label of an option,
 * or another text; the result says which.
 */
export const showOptions = tool({
  name: "show_options",
  description:
    "Shows the person a question with two to five buttons and waits for their choice. Use it when a tap is easier " +
    "than typing, e.g. to open a session or to pick a direction. The person may answer in their own words instead.",
  input,
  category: "suspend",
  suspends: {
    kind: "options",
    answer: z.object({ option: z.string().trim().min(1).max(4_000) }),
    payload: ({ question, options }) => ({
      question,
      options: asOptions(options).map(({ id, label }) => ({ id, label })),
    }),
  },
  execute: ({ options }, { answer }) => {
    const said = answer.option;
    const chosen = asOptions(options).find(({ id, label }) => id === said || label === said);
    return chosen === undefined ? { own_words: said } : { chosen: chosen.label, id: chosen.id };
  },
});

function asOptions(options: readonly (string | Option)[]): Option[] {
  return options.map((option) => (typeof option === "string" ? { id: option, label: option } : option));
}
