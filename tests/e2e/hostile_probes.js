// Every way in which a page can have its browser ask for `url`: each is its name, the kind of file, and what to do.
(own) => {
  const tick = () => fetch(`${own}tick`);
  const settle = async () => {
    for (let times = 0; times < 3; times += 1) await tick();
  };
  const soon = (promise) => Promise.race([promise, settle()]);
  const add = (tag, attributes) => {
    const element = document.createElement(tag);
    const answered = new Promise((resolve) => {
      element.onload = element.onerror = element.onloadeddata = resolve;
    });
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    (tag === "link" || tag === "base" ? document.head : document.body).append(element);
    return soon(answered);
  };
  const write = (html) => {
    document.body.insertAdjacentHTML("beforeend", html);
    return settle();
  };
  const style = (text) => {
    const element = document.createElement("style");
    element.textContent = text;
    document.head.append(element);
    return settle();
  };
  const run = (type, text) => {
    const element = document.createElement("script");
    element.type = type;
    element.textContent = text;
    document.head.append(element);
    return settle();
  };
  const frame = () => {
    const element = document.createElement("iframe");
    element.name = "frame";
    document.body.append(element);
    return element;
  };
  const blob = (text, type) => URL.createObjectURL(new Blob([text], { type }));
  const work = (script, options) =>
    soon(
      new Promise((resolve) => {
        const worker = new Worker(script, options);
        worker.onmessage = worker.onerror = resolve;
      }),
    );
  const link = (attributes) => {
    const element = document.createElement("a");
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    document.body.append(element);
    element.click();
    return settle();
  };
  const submit = (url, method) => {
    frame();
    const form = document.createElement("form");
    Object.assign(form, { action: url, method, target: "frame" });
    const [, probe] = url.split("probe=");
    form.innerHTML = `<input name="probe" value="${probe}">`;
    document.body.append(form);
    form.submit();
    return settle();
  };
  return {
    fetch: ["txt", (url) => fetch(url)],
    fetch_no_cors: ["txt", (url) => fetch(url, { mode: "no-cors" })],
    fetch_kept_alive: ["txt", (url) => fetch(url, { keepalive: true })],
    fetch_later: ["txt", (url) => window.fetchLater(url, { activateAfter: 0 })],
    request: [
      "txt",
      (url) => {
        const request = new XMLHttpRequest();
        request.open("GET", url);
        request.send();
        return settle();
      },
    ],
    event_source: ["txt", (url) => new EventSource(url) && settle()],
    socket: ["txt", (url) => new WebSocket(url.replace("http", "ws")) && settle()],
    beacon: ["txt", (url) => navigator.sendBeacon(url, "") && settle()],
    image: ["png", (url) => add("img", { src: url })],
    image_of_a_set: ["png", (url) => add("img", { srcset: `${url} 1x` })],
    image_for_a_canvas: [
      "png",
      async (url) => {
        const image = new Image();
        image.src = url;
        await image.decode();
        document.createElement("canvas").getContext("2d").drawImage(image, 0, 0);
      },
    ],
    picture: ["png", (url) => write(`<picture><source srcset="${url}"><img src="data:,"></picture>`)],
    input: ["png", (url) => add("input", { type: "image", src: url })],
    poster: ["png", (url) => add("video", { poster: url })],
    video: ["txt", (url) => add("video", { src: url, preload: "auto" })],
    audio: ["txt", (url) => add("audio", { src: url, preload: "auto" })],
    track: [
      "vtt",
      async (url) => {
        await write(`<video src="data:video/mp4;base64,AAAA"><track default src="${url}"></video>`);
        document.querySelector("track").track.mode = "showing";
        await settle();
      },
    ],
    object: ["html", (url) => add("object", { data: url })],
    embed: ["html", (url) => add("embed", { src: url })],
    iframe: ["html", (url) => add("iframe", { src: url })],
    frame_of_a_set: ["html", (url) => add("iframe", { srcdoc: `<frameset><frame src="${url}"></frameset>` })],
    frame_that_moves: [
      "html",
      (url) => {
        frame().contentWindow.location = url;
        return settle();
      },
    ],
    srcdoc: ["png", (url) => add("iframe", { srcdoc: `<img src="${url}">` })],
    srcdoc_script: ["txt", (url) => add("iframe", { srcdoc: `<script>fetch("${url}")</script>` })],
    blob_frame: ["txt", (url) => add("iframe", { src: blob(`<script>fetch("${url}")</script>`, "text/html") })],
    blank_frame: ["txt", (url) => frame().contentWindow.fetch(url)],
    blank_frame_import: ["js", (url) => frame().contentWindow.eval(`import("${url}")`)],
    written_document: [
      "js",
      (url) => {
        const written = frame().contentDocument;
        written.write(`<script src="${url}"></script>`);
        written.close();
        return settle();
      },
    ],
    style_sheet: ["css", (url) => add("link", { rel: "stylesheet", href: url })],
    style_import: ["css", (url) => style(`@import "${url}";`)],
    style_background: ["png", (url) => style(`body { background: url("${url}") }`)],
    style_cursor: ["png", (url) => style(`body { cursor: url("${url}"), auto }`)],
    style_list: ["png", (url) => style(`body { display: list-item; list-style: url("${url}") }`)],
    style_mask: ["png", (url) => style(`body { mask-image: url("${url}") }`)],
    style_content: ["png", (url) => style(`body::before { content: url("${url}") }`)],
    style_filter: ["svg", (url) => style(`body { filter: url("${url}#s") }`)],
    style_attribute: [
      "png",
      (url) => {
        document.body.setAttribute("style", `border-image: url("${url}") 1`);
        return settle();
      },
    ],
    style_of_a_script: [
      "png",
      (url) => {
        const sheet = new CSSStyleSheet();
        sheet.replaceSync(`body { background: url("${url}") }`);
        document.adoptedStyleSheets = [sheet];
        return settle();
      },
    ],
    font: [
      "txt",
      (url) => {
        document.body.append("text");
        return style(`@font-face { font-family: theirs; src: url("${url}") } body { font-family: theirs }`);
      },
    ],
    font_of_a_script: ["txt", (url) => new FontFace("theirs", `url("${url}")`).load()],
    paint_worklet: ["js", (url) => CSS.paintWorklet.addModule(url)],
    audio_worklet: ["js", (url) => new OfflineAudioContext(1, 1, 8000).audioWorklet.addModule(url)],
    script: ["js", (url) => add("script", { src: url })],
    script_module: ["js", (url) => add("script", { type: "module", src: url })],
    script_of_a_picture: [
      "js",
      (url) => {
        const [picture, script] = ["svg", "script"].map((name) =>
          document.createElementNS("http://www.w3.org/2000/svg", name),
        );
        script.setAttribute("href", url);
        picture.append(script);
        document.body.append(picture);
        return settle();
      },
    ],
    import: ["js", (url) => import(url)],
    import_statement: ["js", (url) => run("module", `import "${url}";`)],
    import_json: ["json", (url) => import(url, { with: { type: "json" } })],
    import_style: ["css", (url) => import(url, { with: { type: "css" } })],
    import_map: [
      "js",
      async (url) => {
        const name = `theirs-${url.length}`;
        await run("importmap", JSON.stringify({ imports: { [name]: url } }));
        await import(name);
      },
    ],
    module_preload: ["js", (url) => add("link", { rel: "modulepreload", href: url })],
    preload_image: ["png", (url) => add("link", { rel: "preload", as: "image", href: url })],
    preload_data: ["txt", (url) => add("link", { rel: "preload", as: "fetch", crossorigin: "", href: url })],
    preload_font: ["txt", (url) => add("link", { rel: "preload", as: "font", crossorigin: "", href: url })],
    prefetch: ["txt", (url) => add("link", { rel: "prefetch", href: url })],
    prefetch_by_rule: [
      "html",
      (url) => run("speculationrules", JSON.stringify({ prefetch: [{ urls: [url], eagerness: "immediate" }] })),
    ],
    prerender_by_rule: [
      "html",
      (url) => run("speculationrules", JSON.stringify({ prerender: [{ urls: [url], eagerness: "immediate" }] })),
    ],
    svg_image: ["png", (url) => write(`<svg><image href="${url}"/></svg>`)],
    svg_use: ["svg", (url) => write(`<svg><use href="${url}#s"/></svg>`)],
    svg_filter: [
      "png",
      (url) => write(`<svg><filter id="f"><feImage href="${url}"/></filter><rect width="9" height="9" filter="url(#f)"/></svg>`),
    ],
    transformation: [
      "txt",
      (url) => {
        const text = `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="${url}"?><a/>`;
        return add("iframe", { src: blob(text, "text/xml") });
      },
    ],
    worker: ["js", (url) => work(url)],
    shared_worker: ["js", (url) => new SharedWorker(url) && settle()],
    service_worker: ["js", (url) => navigator.serviceWorker.register(url)],
    blob_worker: ["txt", (url) => work(blob(`fetch("${url}").finally(() => postMessage(1))`))],
    blob_worker_script: [
      "js",
      (url) => work(blob(`try { importScripts("${url}") } finally { postMessage(1) }`)),
    ],
    form: ["html", (url) => submit(url, "get")],
    form_that_posts: ["html", (url) => submit(url, "post")],
    window: ["html", (url) => window.open(url) && settle()],
    link_to_a_window: ["html", (url) => link({ href: url, target: "_blank" })],
    ping: ["txt", (url) => link({ href: "#here", ping: url })],
    base: [
      "png",
      async (url) => {
        await add("base", { href: url.slice(0, url.lastIndexOf("/") + 1) });
        await add("img", { src: url.slice(url.lastIndexOf("/") + 1) });
      },
    ],
    moved_address: [
      "txt",
      (url) => {
        history.replaceState(null, "", new URL(url).pathname);
        return fetch(url.slice(url.lastIndexOf("/") + 1));
      },
    ],
  };
}
