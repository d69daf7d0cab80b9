import type { Json, ModelClient } from "@pawl/core";
import type { ModelEvent } from "@pawl/core/model";

/** One answer of a model, written by hand. */
export interface HandTurn {
  /** Streams a piece of text. */
  say(text: string): void;
  /** Ends the answer, with calls if any. Default of `stop`: what fits the calls. */
  end(calls?: readonly { id: string; name: string; input: Json }[], stop?: string): void;
  fail(error: Error): void;
}

/** A model whose answers the test writes while they are being read. */
export interface HandModel extends ModelClient {
  /** The next time that the model is asked. */
  turn(): Promise<HandTurn>;
}

type Step = ModelEvent | { type: "fail"; error: Error };

export function handModel(): HandModel {
  const turns = channel<HandTurn>();
  return {
    id: "by-hand",
    turn: turns.next,
    async *stream(_request, { signal }) {
      const steps = channel<Step>();
      signal.addEventListener("abort", () => steps.push({ type: "fail", error: signal.reason as Error }));
      turns.push(handTurn(steps.push));
      yield { type: "message_start", message: { id: "m", model: "by-hand", usage: { input_tokens: 1 } } };
      for (;;) {
        const step = await steps.next();
        if (step.type === "fail") throw step.error;
        yield step;
        if (step.type === "message_stop") return;
      }
    },
  };
}

function handTurn(push: (step: Step) => void): HandTurn {
  let open = false;
  return {
    say(text) {
      if (!open) push({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } });
      open = true;
      push({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } });
    },
    end(calls = [], stop) {
      if (open) push({ type: "content_block_stop", index: 0 });
      for (const [place, { id, name, input }] of calls.entries()) {
        const index = place + (open ? 1 : 0);
        push({
          type: "content_block_start",
          index,
          content_block: { type: "tool_use", id, name, input: {} },
        });
        const partial_json = JSON.stringify(input);
        push({ type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json } });
        push({ type: "content_block_stop", index });
      }
      const stop_reason = stop ?? (calls.length > 0 ? "tool_use" : "end_turn");
      push({ type: "message_delta", delta: { stop_reason }, usage: { output_tokens: 1 } });
      push({ type: "message_stop" });
    },
    fail: (error) => push({ type: "fail", error }),
  };
}

function channel<T>(): { push(item: T): void; next(): Promise<T> } {
  const items: T[] = [];
  const takers: ((item: T) => void)[] = [];
  return {
    push(item) {
      const taker = takers.shift();
      if (taker === undefined) items.push(item);
      else taker(item);
    },
    next: () => {
      const item = items.shift();
      return item === undefined ? new Promise((resolve) => takers.push(resolve)) : Promise.resolve(item);
    },
  };
}
