import { useState } from "react";
import type { Run } from "../runs/run.ts";
import { type Node, treeOf } from "./tree.ts";

/** All that is known of a run, as a tree: its record, folded from the events. */
export function ContextTree({ run }: { run: Run }) {
  return (
    <div className="es-tree" data-testid="es-tree">
      <Nodes nodes={treeOf(run.record)} />
    </div>
  );
}

function Nodes({ nodes }: { nodes: readonly Node[] }) {
  return (
    <ul>
      {nodes.map((node, at) => (
        <li key={at}>
          <One node={node} />
        </li>
      ))}
    </ul>
  );
}

function One({ node: { label, value = "", nodes } }: { node: Node }) {
  const [open, setOpen] = useState(false);
  if (nodes === undefined) {
    return (
      <p className="es-leaf">
        <span className="es-soft">{label}</span> {value}
      </p>
    );
  }
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {label} {value !== "" && <span className="es-soft">{value}</span>}
      </summary>
      {open && <Nodes nodes={nodes} />}
    </details>
  );
}
