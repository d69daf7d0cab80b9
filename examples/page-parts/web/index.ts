import "./styles/tables.css";

export { AsTable, Table, type TableProps } from "./base/as-table.tsx";
export { useWidth } from "./base/use-width.ts";
