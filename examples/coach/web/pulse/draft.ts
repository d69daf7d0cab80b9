import type { JsonObject } from "@pawl/core";
import { useMemo, useSyncExternalStore } from "react";
import { fieldIn, fieldsOf } from "../base/seam.ts";

const KEY = "pawl.coach.pulse";
/** So many pulse checks are kept, the ones begun last. */
const KEPT = 20;

/** What was rated in a pulse check and not sent yet: kept in this browser, the same in all its tabs. */
export function useDraft(id: string): JsonObject {
  const text = useSyncExternalStore(subscribe, stored);
  return useMemo(() => fieldsOf(fieldIn(parsed(text), id)), [text, id]);
}

/** Keeps what is rated so far; nothing of a pulse check in which nothing is. */
export function keepDraft(id: string, ratings: JsonObject): void {
  const { [id]: before, ...others } = parsed(stored());
  const isEmpty = Object.keys(ratings).length === 0;
  if (isEmpty && before === undefined) return;
  const kept = Object.entries(others).slice(isEmpty ? 0 : 1 - KEPT);
  const text = JSON.stringify({ ...Object.fromEntries(kept), ...(!isEmpty && { [id]: ratings }) });
  try {
    localStorage.setItem(KEY, text);
    inMemory = undefined;
  } catch {
    inMemory = text;
  }
  for (const listener of listeners) listener();
}

/** Where the browser keeps nothing, ratings last as long as the page. */
let inMemory: string | undefined;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  const changedElsewhere = ({ key }: StorageEvent): void => {
    if (key === KEY || key === null) listener();
  };
  listeners.add(listener);
  addEventListener("storage", changedElsewhere);
  return () => {
    listeners.delete(listener);
    removeEventListener("storage", changedElsewhere);
  };
}

function stored(): string {
  try {
    return inMemory ?? localStorage.getItem(KEY) ?? "{}";
  } catch {
    return "{}";
  }
}

/** By pulse check, the one begun last at the end. What is not ours to understand is not there. */
function parsed(text: string): JsonObject {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return {};
  }
}
