import type { JsonObject } from "@pawl/core";
import { useMemo, useSyncExternalStore } from "react";
import { fieldIn, fieldsOf } from "../base/seam.ts";

const KEY = "pawl.coach.pulse";
/** How many drafts are kept; the oldest are dropped. */
const KEPT = 20;

/**
 * Reads the draft of a pulse check: ratings that are not sent yet. Drafts are stored in this browser and
 * shared by its tabs.
 */
export function useDraft(id: string): JsonObject {
  const text = useSyncExternalStore(subscribe, stored);
  return useMemo(() => fieldsOf(fieldIn(parsed(text), id)), [text, id]);
}

/** Stores the draft of a pulse check. Empty ratings remove it. */
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

/** If the browser's storage is not available, ratings last as long as the page. */
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

/** Parses the drafts by pulse check, the latest last. Leaves out invalid entries. */
function parsed(text: string): JsonObject {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return {};
  }
}
