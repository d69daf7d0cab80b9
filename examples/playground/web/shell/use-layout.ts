import { useEffect, useState } from "react";
import { useMedia } from "../hooks/use-media.ts";

/** The parts that can be open beside the conversation. */
export type BesideIt = "log" | "panel";

export interface Layout {
  isWide: boolean;
  hasSide: boolean;
  /** The part that is open beside the conversation, in a column or over it. */
  beside: BesideIt | undefined;
  show(what: BesideIt | undefined): void;
  toggle(what: BesideIt): void;
  showMenu(shown: boolean): void;
  menuOver: boolean;
  besideOver: boolean;
}

/**
 * Chooses which parts of the page have a column of their own and which lie over the conversation. `first` is
 * open from the start in wide windows.
 */
export function useLayout(first: BesideIt): Layout {
  const isWide = useMedia("(min-width: 76rem)");
  const hasSide = useMedia("(min-width: 60rem)");
  const [beside, show] = useState(isWide ? first : undefined);
  const [showsMenu, showMenu] = useState(false);
  // A column that no longer fits is closed, so that it does not cover the conversation.
  useEffect(() => show(isWide ? first : undefined), [isWide, first]);
  return {
    isWide,
    hasSide,
    beside,
    show,
    toggle: (what) => show(beside === what ? undefined : what),
    showMenu,
    menuOver: !hasSide && showsMenu,
    besideOver: !isWide && beside !== undefined,
  };
}
