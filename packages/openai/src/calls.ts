import { type ModelEvent, withOpaque, writtenLength } from "@pawl/core/model";
import type { CallDelta, Fields } from "./chunk.ts";

/**
 * The number of characters that each call counts in addition to its name and input. So an answer of calls
 * without names is cut, too.
 */
const CALL_CHARS = 4;

/** The length up to which a call's id is part of {@link CALL_CHARS}. */
const USUAL_ID = 100;

/** The tool calls of one answer while it streams. */
export interface Calls {
  /** Returns the number of calls that have begun. */
  count(): number;
  take(delta: CallDelta): ModelEvent[];
  /** Returns the characters of all calls: their names, their input, and {@link CALL_CHARS} for each. */
  chars(): number;
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
  /** Further fields of the call that have arrived up to its name. */
  extra: Fields;
}

export interface CallOptions {
  /** Converts a call's id from the server to the id under which the call is stored. */
  idOf(given: string | undefined): string;
  nextBlock(): number;
  /** The id of the model. The further fields of a call are stored with it. */
  model: string;
}

/**
 * Converts pieces of calls to blocks.
 *
 * - Pieces with the same index belong to one call.
 * - Servers without indexes send a call in one piece, or its id and name in the first piece.
 * - Some servers give every call the index 0. There, a new id begins a new call.
 */
export function readCalls({ idOf, nextBlock, model }: CallOptions): Calls {
  const calls: Call[] = [];
  const known = newIndex();
  let chars = 0;
  return {
    count: () => calls.length,
    chars: () => chars,
    blocks: () => calls.flatMap(({ block }) => (block === undefined ? [] : [block])),
    take(delta) {
      const { id, name, arguments: piece } = delta;
      let call = callOf(known, delta);
      if (call === undefined) {
        call = { key: delta.index, id: undefined, block: undefined, waiting: "", extra: {} };
        calls.push(call);
        chars += CALL_CHARS;
        known.last = call;
        known.lastOf.set(call.key, call);
      }
      chars += (name ?? "").length + writtenLength(piece ?? "");
      if (call.id === undefined && id !== undefined) chars += setId(known, call, id);
      if (call.block !== undefined) return piece ? [inputDelta(call.block, piece)] : [];
      call.waiting += piece ?? "";
      call.extra = { ...call.extra, ...delta.extra };
      if (!name) return [];
      call.block = nextBlock();
      const block = withOpaque({ type: "tool_use", id: idOf(call.id), name, input: {} }, model, call.extra);
      const started: ModelEvent = { type: "content_block_start", index: call.block, content_block: block };
      return call.waiting === "" ? [started] : [started, inputDelta(call.block, call.waiting)];
    },
  };
}

/** The calls by what a piece may name. Looking for one of many calls takes no longer than for one of few. */
interface CallIndex {
  last: Call | undefined;
  /** The last call of each index. */
  lastOf: Map<number | undefined, Call>;
  /** The first call of each index and id. */
  firstOf: Map<number | undefined, Map<string, Call>>;
}

function newIndex(): CallIndex {
  return { last: undefined, lastOf: new Map(), firstOf: new Map() };
}

/** Sets the id of a call. Returns by how many characters it is longer than usual. */
function setId({ firstOf }: CallIndex, call: Call, id: string): number {
  call.id = id;
  const ofIndex = firstOf.get(call.key) ?? new Map<string, Call>();
  firstOf.set(call.key, ofIndex);
  if (!ofIndex.has(id)) ofIndex.set(id, call);
  return Math.max(0, id.length - USUAL_ID);
}

/** Returns the call that a piece belongs to; `undefined` if the piece begins a new call. */
function callOf(known: CallIndex, delta: CallDelta): Call | undefined {
  const { id, index, name } = delta;
  const last = index === undefined ? known.last : known.lastOf.get(index);
  if (last === undefined || id === undefined || last.id === undefined || last.id === id) {
    const isWhole = index === undefined && id === undefined && Boolean(name);
    return isWhole ? undefined : last;
  }
  return known.firstOf.get(index)?.get(id);
}

function inputDelta(index: number, partial_json: string): ModelEvent {
  return { type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json } };
}
