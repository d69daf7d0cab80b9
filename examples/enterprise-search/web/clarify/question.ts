import { fieldsOf, listOf, textOf } from "../base/read.ts";

/** A possible answer, as the page shows it. */
export interface ShownChoice {
  id: string;
  label: string;
  /** Shown if `person` is absent. */
  detail: string;
  person?: {
    initials: string;
    role: string;
    team: string;
    department: string;
    last?: { source: string; title: string; at: string };
  };
}

export interface ShownQuestion {
  text: string;
  choices: readonly ShownChoice[];
  /** How often the user was asked, and how often they will be at most; 0 if it is not known. */
  attempt: number;
  attempts: number;
}

/** Reads the payload of a clarifying question. Leaves out invalid parts. */
export function questionOf(payload: unknown): ShownQuestion {
  const fields = fieldsOf(payload);
  const number = (field: string) => (Number.isInteger(fields.get(field)) ? (fields.get(field) as number) : 0);
  const ids = new Set<string>();
  const choices = listOf(fields.get("choices")).flatMap((value) => {
    const choice = choiceOf(value);
    if (choice === undefined || ids.has(choice.id)) return [];
    ids.add(choice.id);
    return [choice];
  });
  return {
    ...{ text: textOf(fields.get("question")) || "What do you mean?", choices },
    ...{ attempt: number("attempt"), attempts: number("attempts") },
  };
}

function choiceOf(value: unknown): ShownChoice | undefined {
  const choice = fieldsOf(value);
  const text = (field: string) => textOf(choice.get(field));
  if (text("id") === "" || text("label") === "") return undefined;
  const data = fieldsOf(choice.get("data"));
  const person = (field: string) => textOf(data.get(field));
  if (!data.has("initials") && !data.has("role"))
    return { id: text("id"), label: text("label"), detail: text("detail") };
  const last = fieldsOf(data.get("last"));
  const lastText = (field: string) => textOf(last.get(field));
  return {
    ...{ id: text("id"), label: text("label"), detail: text("detail") },
    person: {
      ...{ initials: person("initials"), role: person("role") },
      ...{ team: person("team"), department: person("department") },
      ...(last.size > 0 && {
        last: { source: lastText("source"), title: lastText("title"), at: lastText("at") },
      }),
    },
  };
}
