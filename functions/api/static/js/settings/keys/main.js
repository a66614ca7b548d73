import { byId } from "../../lib/dom.js";

byId("keys").replaceChildren();
byId("keys").setAttribute("aria-busy", "false");
