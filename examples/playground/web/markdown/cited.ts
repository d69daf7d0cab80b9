import type { ComponentType } from "react";

/** Texts in Markdown that are shown by a component, e.g. citations. Code is left as it is. */
export interface Cited {
  /** A global pattern. */
  pattern: RegExp;
  Mark: ComponentType<{ text: string }>;
}

/** A node of a Markdown tree. */
interface Node {
  type: string;
  value?: string;
  children?: Node[];
  data?: { hName: string; hChildren: { type: "text"; value: string }[] };
}

/** The element that {@link citing} makes. Nothing else does: HTML in Markdown is shown as text. */
export const CITED_ELEMENT = "cite";

/** Returns a plugin for remark that puts each match of the pattern into an element of its own. */
export function citing(pattern: RegExp): () => (tree: Node) => void {
  const within = (node: Node): void => {
    if (node.children === undefined) return;
    node.children = node.children.flatMap((child) => (child.type === "text" ? split(child) : [child]));
    for (const child of node.children) within(child);
  };
  const split = (text: Node): Node[] => {
    const { value = "" } = text;
    const nodes: Node[] = [];
    let from = 0;
    for (const match of value.matchAll(pattern)) {
      if (match.index > from) nodes.push({ type: "text", value: value.slice(from, match.index) });
      const hChildren = [{ type: "text" as const, value: match[0] }];
      nodes.push({ type: "cited", data: { hName: CITED_ELEMENT, hChildren } });
      from = match.index + match[0].length;
    }
    if (from === 0) return [text];
    return from < value.length ? [...nodes, { type: "text", value: value.slice(from) }] : nodes;
  };
  return () => within;
}
