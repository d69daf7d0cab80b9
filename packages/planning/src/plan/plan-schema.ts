import type { JsonObject, Schema } from "@pawl/core";
import { checkPlan, type PlanBounds } from "./check-plan.ts";
import type { Plan } from "./plan.ts";

/** The name of the tool with which plans are written. */
export const WRITE_PLAN = "write_plan";

const text = (description: string): JsonObject => ({ type: "string", description });
const orNull = (description: string): JsonObject => ({ type: ["string", "null"], description });
const texts = (description: string): JsonObject => ({
  ...{ type: "array", items: { type: "string" }, description },
});

/** An object with these fields, all of which are required: the form that strict tools need. */
export function objectOf(properties: JsonObject, required: string[] = Object.keys(properties)): JsonObject {
  return { type: "object", properties, required, additionalProperties: false };
}

const task = {
  id: text("Short name, e.g. gmail_q4."),
  title: text("What is done, in a sentence."),
  tool: orNull("The tool that does it; null if none does."),
  agent: orNull("The id of the custom agent that does it; null if none does."),
  depends_on: texts("Ids of the tasks whose results it needs."),
  parallelizable: { type: "boolean", description: "Whether it may run beside others." },
  status: { type: "string", enum: ["pending", "blocked", "done"] },
  note: orNull("A remark, e.g. why it is blocked."),
} satisfies JsonObject;

/** The JSON Schema of a plan's tasks. */
export const tasksJson: JsonObject = { type: "array", items: objectOf(task) };

/** The JSON Schema of a question to the user, or `null`. */
export const questionJson: JsonObject = questionWith(["text", "about", "choices"]);

function questionWith(required: string[]): JsonObject {
  const fields = {
    text: text("The question, in the user's language."),
    about: orNull("The words of the request that are ambiguous, e.g. a name."),
    choices: texts("Possible answers; empty if you do not know them."),
  };
  return {
    anyOf: [objectOf(fields, required), { type: "null" }],
    description: "What the user must be asked before the work; null for nothing.",
  };
}

const plan = {
  reasoning: text("Why, in a sentence or two."),
  goal: text("What the user wants, in a sentence."),
  status: {
    type: "string",
    enum: ["ok", "needs_clarification", "blocked"],
    description: "needs_clarification: `question` must be answered first. blocked: it cannot be done.",
  },
  tasks: tasksJson,
  question: questionJson,
  blocked: orNull("Why it cannot be done, in words for the user; null if it can."),
  needs_review: { type: "boolean", description: "Whether the next results should be reviewed." },
  candidate_agents: texts("Ids of custom agents that may help."),
  rewritten_query: orNull("A better wording for searches, as a suggestion; null without one."),
} satisfies JsonObject;

/** The input of the tool `write_plan`. Most fields are optional. */
export const looselyPlanned: JsonObject = objectOf(
  {
    ...plan,
    tasks: { type: "array", items: objectOf(task, ["id", "title"]) },
    question: questionWith(["text"]),
  },
  ["goal", "tasks"],
);

/** Returns the schema with which a model is asked for a plan. A wrong plan is refused with the reasons. */
export function planSchema(bounds: PlanBounds): Schema<Plan> {
  return schemaOf(objectOf(plan), (value) => {
    const checked = checkPlan(value, bounds);
    return checked.status === "ok" ? { value: checked.plan } : { problems: checked.error.problems };
  });
}

/** Makes a schema of a JSON Schema and a function that reads and checks a value. */
export function schemaOf<T>(
  json: JsonObject,
  read: (value: unknown) => { value: T } | { problems: readonly string[] },
): Schema<T> {
  const described = () => json;
  return {
    "~standard": {
      version: 1,
      vendor: "pawl-planning",
      validate: (value) => {
        const said = read(value);
        if ("value" in said) return said;
        return { issues: said.problems.map((message) => ({ message })) };
      },
      jsonSchema: { input: described, output: described },
    },
  };
}
