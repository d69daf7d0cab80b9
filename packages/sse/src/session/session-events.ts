import { type EventStore, readShown } from "@pawl/core";
import type { WorkPlace } from "@pawl/core/store";
import type { JsonPieces } from "./json-pieces.ts";
import { publicEvent, type Shown } from "./public-event.ts";

interface Reading {
  store: EventStore;
  id: string;
  afterSeq: number;
  shown: Shown;
}

/** Adds the stored events of a session as `{ events }`. Has one page of them at a time, besides the JSON. */
export async function addEvents(
  json: JsonPieces,
  place: WorkPlace,
  { store, id, afterSeq, shown }: Reading,
): Promise<void> {
  let before = '{"events":[';
  for await (const event of readShown(store, id, { afterSeq })) {
    json.add(`${before}${JSON.stringify(publicEvent(event, shown))}`);
    before = ",";
    place.holds(json.bytes);
  }
  json.add(before === "," ? "]}" : '{"events":[]}');
}
