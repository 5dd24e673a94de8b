/** Where the peers' packages lie: a path, under Node.js as in a page. */
export const inPage = "document" in globalThis;

const here = inPage ? document.baseURI : import.meta.url;

export const packageFolder = (name) => decodeURIComponent(new URL(`node_modules/${name}/`, here).pathname);
