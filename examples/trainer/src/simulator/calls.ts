import type { JsonObject } from "@pawl/core";
import type { Reply } from "@pawl/testing";

export const call = (name: string, input: JsonObject): Reply => ({ tools: [{ name, input }] });
export const notify = (message: string, artifact_id?: string): Reply =>
  call("message_notify_user", { message, ...(artifact_id !== undefined && { artifact_id }) });
export const ask = (question: string, options: string[]): Reply =>
  call("message_ask_user", { question, options });
