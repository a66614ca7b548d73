import { byId } from "../../lib/dom.js";

byId("audit").replaceChildren();
byId("audit").setAttribute("aria-busy", "false");
