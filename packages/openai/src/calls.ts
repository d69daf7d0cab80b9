import type { ModelEvent } from "@pawl/core/model";
import type { CallDelta } from "./chunk.ts";

/** The tool calls of one answer while it streams. */
export interface Calls {
  /** Returns the number of calls that have begun. */
  count(): number;
  take(delta: CallDelta): ModelEvent[];
  /** Returns the indexes of the calls' blocks, in order. */
  blocks(): number[];
}

interface Call {
  key: number | undefined;
  id: string | undefined;
  /**
   * The index of the call's block; `undefined` until the tool's name has arrived, because a block begins with
   * it.
   */
  block: number | undefined;
  /** Input that arrived before the tool's name. It is sent once the block begins. */
  waiting: string;
}

export interface CallOptions {
  /** Converts a call's id from the server to the id under which the call is stored. */
  idOf(given: string | undefined): string;
  nextBlock(): number;
}

/**
 * Converts pieces of calls to blocks.
 *
 * - Pieces with the same index belong to one call.
 * - Servers without indexes send a call in one piece, or its id and name in the first piece.
 * - Some servers give every call the index 0. There, a new id begins a new call.
 */
export function readCalls({ idOf, nextBlock }: CallOptions): Calls {
  const calls: Call[] = [];
  const begin = (delta: CallDelta): Call => {
    const call: Call = { key: delta.index, id: delta.id, block: undefined, waiting: "" };
    calls.push(call);
    return call;
  };
  return {
    count: () => calls.length,
    blocks: () => calls.flatMap(({ block }) => (block === undefined ? [] : [block])),
    take(delta) {
      const call = callOf(calls, delta) ?? begin(delta);
      const { id, name, arguments: piece } = delta;
      call.id ??= id;
      if (call.block !== undefined) return piece ? [inputDelta(call.block, piece)] : [];
      call.waiting += piece ?? "";
      if (!name) return [];
      call.block = nextBlock();
      const block = { type: "tool_use", id: idOf(call.id), name, input: {} };
      const started: ModelEvent = { type: "content_block_start", index: call.block, content_block: block };
      return call.waiting === "" ? [started] : [started, inputDelta(call.block, call.waiting)];
    },
  };
}

/** Returns the call that a piece belongs to; `undefined` if the piece begins a new call. */
function callOf(calls: readonly Call[], delta: CallDelta): Call | undefined {
  const { id, index, name } = delta;
  const last = index === undefined ? calls.at(-1) : calls.findLast(({ key }) => key === index);
  if (last === undefined || id === undefined || last.id === undefined || last.id === id) {
    const isWhole = index === undefined && id === undefined && Boolean(name);
    return isWhole ? undefined : last;
  }
  return calls.find((call) => call.id === id && call.key === index);
}

function inputDelta(index: number, partial_json: string): ModelEvent {
  return { type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json } };
}
