import { byId } from "../../lib/dom.js";

byId("members").replaceChildren();
byId("members").setAttribute("aria-busy", "false");
