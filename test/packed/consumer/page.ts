// A user's page. It has the types of the agent's tools from the server's module, by a type-only import.
import { createAgentClient } from "@pawl/client";
import type { QuestionTypesOf } from "@pawl/core/view";
import type { guide } from "./server.ts";

const client = createAgentClient<typeof guide>({ url: "/api/guide" });
for (const part of client.getState().messages.flatMap(({ parts }) => parts)) {
  if (part.type !== "tool" || part.phase !== "done") continue;
  if (part.toolName === "weather") console.log(part.result.celsius.toFixed(), part.result.at.toUpperCase());
  // @ts-expect-error the agent has no such tool
  if (part.toolName === "wheather") console.log(part.result);
}
export const answer: QuestionTypesOf<typeof guide>["choose"]["answer"] = { option: "a" };
