import { createContext, useContext } from "react";

/** The numbers of the documents that an answer cites, by id. */
export const NumbersContext = createContext<ReadonlyMap<string, number>>(new Map());

export function useNumbers(): ReadonlyMap<string, number> {
  return useContext(NumbersContext);
}
