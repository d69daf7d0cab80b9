import { useEffect, useState } from "react";
import { useMedia } from "../hooks/use-media.ts";

/** Which parts of the page have a column of their own, and which lie over it. */
export function useLayout() {
  const isWide = useMedia("(min-width: 76rem)");
  const hasSide = useMedia("(min-width: 60rem)");
  const [showsLog, showLog] = useState(isWide);
  const [showsMenu, showMenu] = useState(false);
  // A column that no longer fits must not fall over the conversation.
  useEffect(() => showLog(isWide), [isWide]);
  return {
    isWide,
    hasSide,
    showsLog,
    showLog,
    showMenu,
    menuOver: !hasSide && showsMenu,
    logOver: !isWide && showsLog,
  };
}
