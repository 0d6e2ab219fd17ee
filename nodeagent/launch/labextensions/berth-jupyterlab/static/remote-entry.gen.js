// Generated from frontend/src/jupyterlab by `npm run generate`. Do not edit.
(function() {
	Intl.DateTimeFormat;
	var numberFormat = kept(Intl.NumberFormat);
	Intl.RelativeTimeFormat;
	/** The formats that were made so far: to make one takes a hundred times as long as to use it. */
	function kept(Made) {
		const made = /* @__PURE__ */ new Map();
		return (language, options) => {
			const key = `${language} ${JSON.stringify(options)}`;
			const format = made.get(key) ?? new Made(language, options);
			made.set(key, format);
			return format;
		};
	}
	// src/shared/i18n/format.ts
	/** Numbers, amounts and times in the reader's language, which is handed in; times by the chosen clock. */
	var MINUTE = 60;
	var HOUR = 3600;
	var DAY = 24 * HOUR;
	function formatNumber(value, language, digits = 1) {
		return numberFormat(language, { maximumFractionDigits: digits }).format(value);
	}
	/** MiB as `512 MiB` or `4.0 GiB`; always a unit. */
	function formatMemory(mib, language) {
		if (Math.abs(mib) < 1024) return `${formatNumber(mib, language, 0)} MiB`;
		const gib = mib / 1024;
		const digits = gib < 100 ? 1 : 0;
		return `${numberFormat(language, {
			minimumFractionDigits: digits,
			maximumFractionDigits: digits
		}).format(gib)} GiB`;
	}
	var SYMBOLS = {
		day: "d",
		hour: "h",
		minute: "min",
		second: "s"
	};
	/** A span of time, rounded to its two largest units: `3 d 4 h`, `2 h 5 min`, `42 s`. */
	function formatDuration(seconds, language) {
		const exact = Math.max(0, seconds);
		const finest = exact >= DAY ? HOUR : exact >= HOUR ? MINUTE : 1;
		const whole = Math.round(exact / finest) * finest;
		const parts = [
			[Math.floor(whole / DAY), "day"],
			[Math.floor(whole % DAY / HOUR), "hour"],
			[Math.floor(whole % HOUR / MINUTE), "minute"],
			[whole % MINUTE, "second"]
		];
		const first = parts.findIndex(([amount]) => amount > 0);
		if (first === -1) return inUnit(0, "second", language);
		return parts.slice(first, first + 2).filter(([amount]) => amount > 0).map(([amount, unit]) => inUnit(amount, unit, language)).join(" ");
	}
	function inUnit(amount, unit, language) {
		if (!isChinese(language)) return `${formatNumber(amount, language)} ${SYMBOLS[unit]}`;
		return numberFormat(language, {
			style: "unit",
			unit,
			unitDisplay: "short"
		}).format(amount);
	}
	function isChinese(language) {
		return language.startsWith("zh");
	}
	var en_default = {
		gpuUse: "GPU {{percent}} %, {{used}} of {{limit}}",
		gpuReleased: "GPU released",
		gpuRequested: "waiting for a GPU",
		ends: "ends in {{left}}",
		loses: {
			"release": "Idle: the GPU is released in {{left}}",
			"stop": "Idle: stopped in {{left}}"
		},
		warning: {
			"release": "This notebook is idle: its GPU is released in {{left}}. The notebook keeps running; what its kernels hold on the GPU may be lost.",
			"stop": "This notebook is idle: it is stopped in {{left}}. Your files stay; kernels and terminals end."
		},
		keep: "Keep it {{time}} longer",
		keepFailed: "It could not be kept: {{why}}",
		disconnected: "The connection to the notebook is lost and is tried again until it is back. If the notebook has ended, start it again on its page.",
		openPage: "Open in Berth",
		about: "What Berth knows of this notebook",
		runAsJob: "Run as a Berth job…",
		runAsJobShort: "Run as job",
		notSaved: "Not saved, so no job was started: {{why}}"
	};
	var zh_CN_default = {
		gpuUse: "加速卡 {{percent}}%，{{used}} / {{limit}}",
		gpuReleased: "已让出加速卡",
		gpuRequested: "正在等待加速卡",
		ends: "{{left}}后结束",
		loses: {
			"release": "空闲：{{left}}后让出加速卡",
			"stop": "空闲：{{left}}后停止"
		},
		warning: {
			"release": "此 Notebook 空闲：{{left}}后让出加速卡。Notebook 继续运行，内核在加速卡上的内容可能丢失。",
			"stop": "此 Notebook 空闲：{{left}}后停止。文件会保留，内核和终端将结束。"
		},
		keep: "再保留 {{time}}",
		keepFailed: "未能保留：{{why}}",
		disconnected: "与 Notebook 的连接已断开，正在不断重试，直到恢复。如果 Notebook 已停止，请在它的页面上重新启动。",
		openPage: "在 Berth 中打开",
		about: "Berth 所知的此 Notebook 的情况",
		runAsJob: "作为 Berth 任务运行…",
		runAsJobShort: "作为任务运行",
		notSaved: "未能保存，因此没有提交任务：{{why}}"
	};
	// src/jupyterlab/status.ts
	/** What Berth's gateway answers about the notebook, and what JupyterLab's status bar says of it. Pure. */
	/** Its end is near: it is shown as a warning from then on. */
	var END_IS_NEAR_S = 1800;
	var PARKED = {
		releasing: "gpuReleased",
		released: "gpuReleased",
		requested: "gpuRequested"
	};
	var TEXTS = {
		en: en_default,
		"zh-CN": zh_CN_default
	};
	function say(language, key, values = {}) {
		const found = key.split(".").reduce((node, name) => node[name], TEXTS[language]);
		return String(found).replace(/\{\{(\w+)\}\}/g, (_, name) => values[name] ?? "");
	}
	/** JupyterLab's own language where it is Chinese; its default says nothing, then the portal's. */
	function languageOf(labLanguage, portal) {
		return labLanguage.toLowerCase().startsWith("zh") ? "zh-CN" : portal ?? "en";
	}
	/** What its owner was warned of; null while there is nothing to fear. */
	function idleLoss({ idle, now }, language) {
		if (!idle?.is_warned || !idle.next || !idle.next_at) return null;
		return {
			loss: idle.next,
			left: timeLeft(now, idle.next_at, language)
		};
	}
	/** The line of the status bar. */
	function statusLine(status, language) {
		const loss = idleLoss(status, language);
		const { now, ends_at } = status;
		const parts = [
			gpuPart(status, language),
			ends_at && say(language, "ends", { left: timeLeft(now, ends_at, language) }),
			loss && say(language, `loses.${loss.loss}`, { left: loss.left })
		];
		const isEnding = ends_at !== null && secondsBetween(now, ends_at) <= END_IS_NEAR_S;
		return {
			text: ["Berth", ...parts].filter(Boolean).join(" · "),
			isUrgent: !!loss || isEnding
		};
	}
	function gpuPart({ gpu, idle }, language) {
		const parked = PARKED[idle?.gpu_state ?? ""];
		if (parked) return say(language, parked);
		if (!gpu) return null;
		const { utilisation_pct, memory_mib, memory_limit_mib } = gpu;
		if (utilisation_pct === null || memory_mib === null) return null;
		return say(language, "gpuUse", {
			percent: String(Math.round(utilisation_pct)),
			used: formatMemory(memory_mib, language),
			limit: formatMemory(memory_limit_mib, language)
		});
	}
	/** To the minute, by the portal's clock. */
	function timeLeft(now, then, language) {
		return formatDuration(Math.ceil(secondsBetween(now, then) / 60) * 60, language);
	}
	function secondsBetween(now, then) {
		return Math.max(0, (Date.parse(then) - Date.parse(now)) / 1e3);
	}
	// src/jupyterlab/plugin.ts
	/**
	* The JupyterLab extension: a line in the status bar, a warning before an idle notebook loses its GPUs
	* or is stopped, and "Run as a Berth job…". It asks the gateway below the notebook's own path; see ADR 60.
	*/
	var RUN = "berth:run-as-job";
	var POLL_MS = 15e3;
	/** While nobody looks at the tab, or the portal does not answer. */
	var QUIET_POLL_MS = 6e4;
	/** While the connection is lost. */
	var RECONNECT_POLL_MS = 2e3;
	/** While the notebook is stopped, or does not answer any more. */
	var RETURN_POLL_MS = 5e3;
	/** What the gateway answers for a stopped notebook, with its page about that. */
	var STOPPED = 424;
	/** Above the dialogs of JupyterLab, which know only that the kernel is gone. */
	var ABOVE_DIALOGS = "20000";
	var ANSWER_MS = 1e4;
	/** Return the plugins, given JupyterLab's own packages. */
	async function createPlugins(packages) {
		const names = [...[
			"application",
			"apputils",
			"filebrowser",
			"notebook"
		], ...[
			"services",
			"statusbar",
			"translation"
		]];
		const [application, apputils, filebrowser, notebook, services, statusbar, translation] = await Promise.all(names.map((name) => packages(`@jupyterlab/${name}`)));
		const { Widget } = await packages("@lumino/widgets");
		let companion = null;
		return [{
			id: "berth-jupyterlab:plugin",
			autoStart: true,
			requires: [notebook?.INotebookTracker, statusbar?.IStatusBar],
			optional: [filebrowser?.IFileBrowserFactory, translation?.ITranslator],
			activate: (lab, notebooks, bar, browsers, translator) => {
				const node = document.createElement("a");
				bar.registerStatusItem("berth-jupyterlab:status", {
					align: "right",
					rank: 900,
					item: new Widget({ node })
				});
				companion = new Companion(lab, new Desk(lab, services?.ServerConnection), node, apputils?.Notification, translator?.languageCode ?? "");
				addRunCommand(lab, companion, notebooks, browsers);
				companion.start();
			}
		}, {
			id: "berth-jupyterlab:connection",
			autoStart: true,
			provides: application?.IConnectionLost,
			activate: () => async () => companion?.sayDisconnected()
		}];
	}
	/** Berth's gateway, which answers below this notebook's path; requests carry the page's own token. */
	var Desk = class {
		lab;
		connection;
		constructor(lab, connection) {
			this.lab = lab;
			this.connection = connection;
		}
		async ask(what) {
			const settings = this.lab.serviceManager.serverSettings;
			const init = {
				method: what === "keep" ? "POST" : "GET",
				signal: AbortSignal.timeout(ANSWER_MS)
			};
			const url = `${settings.baseUrl}berth/${what}`;
			const answer = await this.connection.makeRequest(url, init, settings);
			if (answer.status === STOPPED) throw new NotebookStopped(await answer.text());
			const body = await answer.json();
			if (!answer.ok) throw new Error(body.detail ?? body.title);
			return body;
		}
	};
	/** Raised with the gateway's page, which says so and leads to a start. */
	var NotebookStopped = class extends Error {};
	/** What the page knows of its notebook, and shows. */
	var Companion = class {
		lab;
		desk;
		node;
		notices;
		labLanguage;
		status = null;
		shown = null;
		disconnected = null;
		/** The last answer: language and address of the notebook's page stay true without a connection. */
		known = null;
		timer = 0;
		/** The page about a stopped notebook, while it is shown. */
		cover = null;
		/** News that this tab has shown; they stay unread in the portal. */
		told = /* @__PURE__ */ new Set();
		constructor(lab, desk, node, notices, labLanguage) {
			this.lab = lab;
			this.desk = desk;
			this.node = node;
			this.notices = notices;
			this.labLanguage = labLanguage;
			node.className = "berth-status jp-StatusBar-TextItem";
			node.target = "_blank";
			node.rel = "noopener";
			node.style.textDecoration = "none";
		}
		get language() {
			return languageOf(this.labLanguage, this.known?.language);
		}
		start() {
			document.addEventListener("visibilitychange", () => {
				if (!document.hidden) this.refresh();
			});
			this.refresh();
		}
		/** Say it without a dialog: JupyterLab tries again by itself, and an open kernel goes on. */
		sayDisconnected() {
			if (this.disconnected !== null) return;
			const options = {
				autoClose: false,
				actions: this.known ? [this.link(this.known.page_url)] : []
			};
			this.disconnected = this.notices.emit(this.say("disconnected"), "warning", options);
			this.refresh();
		}
		say(key, values) {
			return say(this.language, key, values);
		}
		async refresh() {
			window.clearTimeout(this.timer);
			const answer = await this.desk.ask("status").catch((fault) => fault);
			if (answer instanceof NotebookStopped) this.sayStopped(answer.message);
			else this.show(answer instanceof Error ? null : answer);
			window.clearTimeout(this.timer);
			this.timer = window.setTimeout(() => void this.refresh(), this.nextPollMs());
		}
		nextPollMs() {
			if (document.hidden) return QUIET_POLL_MS;
			if (this.cover) return RETURN_POLL_MS;
			if (this.disconnected !== null) return RECONNECT_POLL_MS;
			if (this.status) return POLL_MS;
			return this.known ? RETURN_POLL_MS : QUIET_POLL_MS;
		}
		/** Show the gateway's page over JupyterLab, with its unsaved edits; a reload would lose them. */
		sayStopped(html) {
			this.show(null);
			const main = new DOMParser().parseFromString(html, "text/html").querySelector("main");
			if (this.cover || !main) return;
			this.cover = document.createElement("div");
			this.cover.className = "berth-stopped";
			this.cover.role = "alert";
			Object.assign(this.cover.style, {
				position: "fixed",
				inset: "0",
				zIndex: ABOVE_DIALOGS,
				padding: "15vh max(1.5rem, calc(50vw - 18rem))",
				overflow: "auto",
				font: "16px/1.6 var(--jp-ui-font-family)",
				color: "var(--jp-ui-font-color1)",
				background: "var(--jp-layout-color1)"
			});
			for (const link of main.querySelectorAll("a")) link.target = "_blank";
			this.cover.append(document.adoptNode(main));
			document.body.append(this.cover);
		}
		/** Its server and its token are new: only a new page reaches them. */
		returned() {
			this.cover?.remove();
			this.cover = null;
			window.location.reload();
		}
		show(status) {
			this.status = status;
			this.known = status ?? this.known;
			this.node.style.display = status ? "" : "none";
			this.lab.commands.notifyCommandChanged(RUN);
			if (!status) return;
			if (this.cover) this.returned();
			if (this.disconnected !== null) this.notices.dismiss(this.disconnected);
			this.disconnected = null;
			const { text, isUrgent } = statusLine(status, this.language);
			this.node.textContent = text;
			this.node.title = this.say("about");
			this.node.href = status.page_url;
			this.node.style.color = isUrgent ? "var(--jp-warn-color0)" : "inherit";
			this.node.style.fontWeight = isUrgent ? "600" : "inherit";
			this.warn(status);
			for (const { id, text, url } of status.notices) {
				if (!this.told.has(id)) this.notices.emit(text, "info", {
					autoClose: false,
					actions: [this.link(url)]
				});
				this.told.add(id);
			}
		}
		link(url) {
			const callback = () => window.open(url, "_blank", "noopener");
			return {
				label: this.say("openPage"),
				displayType: "link",
				callback
			};
		}
		/** One notice for each step that was announced; it goes when the step is off. */
		warn(status) {
			const loss = status.is_own ? idleLoss(status, this.language) : null;
			const key = loss ? `${loss.loss} ${status.idle?.next_at}` : "";
			if (key === (this.shown?.key ?? "")) return;
			if (this.shown) this.notices.dismiss(this.shown.notice);
			this.shown = null;
			if (!loss) return;
			const text = this.say(`warning.${loss.loss}`, { left: loss.left });
			const actions = this.actionsFor(status);
			const notice = this.notices.emit(text, "warning", {
				autoClose: false,
				actions
			});
			this.shown = {
				key,
				notice
			};
		}
		actionsFor({ idle, page_url }) {
			const time = formatDuration(idle?.keep_s ?? 0, this.language);
			const keep = {
				label: this.say("keep", { time }),
				displayType: "accent",
				callback: () => void this.keep()
			};
			return idle?.keeps_left ? [keep, this.link(page_url)] : [this.link(page_url)];
		}
		async keep() {
			try {
				this.show(await this.desk.ask("keep"));
			} catch (fault) {
				const why = fault instanceof Error ? fault.message : String(fault);
				this.notices.emit(this.say("keepFailed", { why }), "error", { autoClose: 1e4 });
			}
		}
	};
	/** The command of toolbar and menus (the open notebook) and of the file list (the chosen one). */
	function addRunCommand(lab, companion, notebooks, browsers) {
		const chosenFile = (place) => {
			if (place !== "files") return notebooks.currentWidget?.context.path;
			const [item] = browsers?.tracker.currentWidget?.selectedItems() ?? [];
			return item?.type === "notebook" ? item.path : void 0;
		};
		lab.commands.addCommand(RUN, {
			label: ({ isShort }) => companion.say(isShort ? "runAsJobShort" : "runAsJob"),
			caption: () => companion.say("runAsJob"),
			isVisible: () => !!companion.status?.job_form_url,
			isEnabled: ({ place }) => chosenFile(place) !== void 0,
			execute: async ({ place }) => {
				const path = chosenFile(place);
				const form = companion.status?.job_form_url;
				if (!path || !form) return;
				const tab = window.open("", "_blank");
				if (tab) tab.opener = null;
				try {
					const open = notebooks.find(({ context }) => context.path === path);
					if (open?.context.model.dirty) await open.context.save();
				} catch (fault) {
					tab?.close();
					const text = companion.say("notSaved", { why: String(fault) });
					companion.notices.emit(text, "error", { autoClose: 1e4 });
					return;
				}
				tab?.location.replace(`${form}&file=${encodeURIComponent(path)}`);
			}
		});
	}
	// src/jupyterlab/remote.ts
	/**
	* The container of the extension, as module federation defines it: JupyterLab calls `init` with the
	* packages that it shares, then `get` for the plugins. Built by `scripts/build-labextension.mjs`.
	*/
	var scope = {};
	/** Return JupyterLab's own package: the version that is loaded, or else the newest. */
	async function sharedPackage(name) {
		const versions = Object.entries(scope[name] ?? {}).sort(([one], [other]) => other.localeCompare(one, "en", { numeric: true }));
		const [, found] = versions.find(([, { loaded }]) => loaded) ?? versions[0] ?? [];
		if (!found) throw new Error(`berth-jupyterlab: this JupyterLab has no ${name}`);
		return (await found.get())();
	}
	var berthJupyterlab = {
		init(shared) {
			scope = shared;
		},
		async get() {
			const plugins = await createPlugins(sharedPackage);
			return () => ({
				__esModule: true,
				default: plugins
			});
		}
	};
	var lab = window;
	lab._JUPYTERLAB = {
		...lab._JUPYTERLAB,
		"berth-jupyterlab": berthJupyterlab
	};
})();
