import { type MessagesApi, messagesApi } from "../messages/messages-api.ts";
import type { Guard } from "./guard.ts";
import { replyOf } from "./story.ts";

/**
 * Starts the simulated Messages API. The user's message is the session's id, and the key is the worker's
 * name.
 */
export async function simulatedModel(guard: Guard): Promise<MessagesApi> {
  const api = await messagesApi({
    rules: async (request, { turn, input: sessionId }) => {
      const { headers } = api.requests.findLast(({ body }) => body === request) ?? {};
      await guard.onRequest({ worker: String(headers?.["x-api-key"]), sessionId, turn });
      return replyOf(turn);
    },
  });
  return api;
}
