import { createRoot } from "react-dom/client";
import "./gallery.css";
import { Gallery } from "./gallery.tsx";

const root = document.getElementById("root");
if (root !== null) createRoot(root).render(<Gallery />);
