'use strict';
// What the page's charts look like (Chart.js), each made of the tables that it stands for, and of nothing else.
const sthdCharts = (() => {
  const kColours = 8;
  const kDashes = [[], [7, 3], [2, 3], [9, 3, 2, 3]];

  // "~12.3" is a rough 12.3; an empty cell is unknown.
  const cellOf = (cell) => {
    const text = cell.textContent.trim();
    const value = text === '' ? NaN : Number(text.replace(/^~/, ''));
    return { text, value: Number.isFinite(value) ? value : null, rough: text.startsWith('~') };
  };
  const rowsOf = (body) => (body ? [...body.rows] : []).map((row) => ({
    name: row.cells[0].textContent,
    cells: [...row.cells].slice(1).map(cellOf),
  }));
  const readTable = (table) => ({
    caption: table.caption.textContent,
    heads: [...table.tHead.rows[0].cells].slice(1).map((cell) => cell.textContent),
    rows: rowsOf(table.tBodies[0]),
    foot: rowsOf(table.tBodies[1]),
  });

  const theme = () => {
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(`--${name}`).trim();
    return {
      text: colour('text'), quiet: colour('quiet'), line: colour('line'), page: colour('page'),
      good: colour('good'), bad: colour('bad'),
      colours: Array.from({ length: kColours }, (_, i) => colour(`c${i + 1}`)),
    };
  };
  const dashOf = (index) => kDashes[Math.floor(index / kColours) % kDashes.length];

  const plain = (value) => value.toLocaleString('en-US', { maximumSignificantDigits: 3 });
  const percentOf = (x) => Number((100 - 100 / x).toPrecision(9));

  const axis = (look, title, more = {}) => ({
    ...more,
    title: { display: title !== '', text: title, color: look.quiet },
    ticks: { color: look.quiet, ...more.ticks },
    grid: { color: look.line, borderColor: look.line, ...more.grid },
  });
  // Labels at 1, 2 and 5 of a short range, at the powers of ten of a long one.
  const logAxis = (look, title, more = {}) => axis(look, title, {
    ...more,
    type: 'logarithmic',
    ticks: {
      callback(value) {
        const digit = Math.round(value / 10 ** Math.floor(Math.log10(value) + 1e-9));
        const short = this.max / this.min < 1000;
        return digit === 1 || (short && (digit === 2 || digit === 5)) ? plain(value) : null;
      },
    },
  });
  const percentileAxis = (look) => axis(look, 'percentile (%)', {
    type: 'logarithmic',
    min: 1,
    afterBuildTicks: (scale) => {
      const wide = scale.chart.width > 600;
      scale.ticks = [1, 2, 4, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7]
        .filter((x) => x <= scale.max && (wide || x < 2 || x > 4)).map((value) => ({ value }));
    },
    ticks: { autoSkip: false, maxRotation: 40, callback: percentOf },
  });
  // Names from the top down.
  const namesAxis = (look, names) => axis(look, '', {
    type: 'linear', min: -0.5, max: names.length - 0.5, reverse: true,
    ticks: { stepSize: 1, autoSkip: false, callback: (value) => (Number.isInteger(value) ? short(names[value]) : null) },
    afterBuildTicks: (scale) => { scale.ticks = names.map((_, value) => ({ value })); },
  });
  // Both ends of a long name tell it from others: the row's name and the metric's.
  const short = (name) => {
    const half = window.innerWidth < 600 ? 12 : 24;
    return name.length > 2 * half ? `${name.slice(0, half - 1)}\u2026${name.slice(-half)}` : name;
  };

  // A point whose neighbours are not known is no line.
  const alone = ({ dataset, dataIndex }) => [dataIndex - 1, dataIndex + 1]
    .every((i) => !dataset.data[i] || dataset.data[i].y === null);
  const line = (look, index, label, data, more = {}) => ({
    label, data, borderColor: look.colours[index % kColours], backgroundColor: look.colours[index % kColours],
    borderWidth: 2, borderDash: dashOf(index), pointRadius: (context) => (alone(context) ? 2 : 0), pointHitRadius: 6, spanGaps: false, ...more,
  });

  // Each kind gives a list of {title, hint, tall, height, legend, config(look)}.

  const tooltip = (title, label) => ({ tooltip: { callbacks: { title: (items) => (items.length ? title(items[0]) : ''), label } } });
  const named = (unit) => (item) => `${item.dataset.label}: ${plain(item.parsed.y)} ${unit}`;

  // Where a line has fewer than ten samples beyond a point it is dotted; it ends at the longest latency.
  const latency = (tables) => {
    const table = readTable(tables[0]);
    const longest = table.foot[0].cells;
    const counts = table.foot[1].cells;
    const points = (column) => {
      const known = table.rows.map((row) => ({ percent: Number(row.name), ...row.cells[column] }))
        .filter((cell) => cell.value !== null)
        .map((cell) => ({ x: 100 / (100 - cell.percent), y: cell.value, rough: cell.rough }));
      const end = { x: counts[column].value, y: longest[column].value, rough: true };
      return end.x > (known.length ? known[known.length - 1].x : 0) ? [...known, end] : known;
    };
    const segment = { borderDash: (context) => (context.p1.raw.rough ? [2, 3] : undefined) };
    const config = (look) => ({
      type: 'line',
      data: { datasets: table.heads.map((name, i) => line(look, i, name, points(i), { segment })) },
      options: {
        scales: { x: percentileAxis(look), y: logAxis(look, 'latency (us)') },
        plugins: tooltip((item) => `${percentOf(item.parsed.x)} %`, named('us')),
      },
    });
    const hint = 'Dotted: fewer than ten I/Os took longer. A line ends at its longest I/O.';
    return [{ title: table.caption, hint, tall: true, config }];
  };

  // The last tick is the end of the data, which the one before may be close to.
  const withoutEnd = (scale) => {
    const [first, second, ...more] = scale.ticks.map((tick) => tick.value);
    if (more.length && scale.ticks.at(-1).value - scale.ticks.at(-2).value < 0.99 * (second - first)) scale.ticks.pop();
  };
  const timeChart = (title, unit, scale, datasets) => ({
    title,
    config: (look) => ({
      type: 'line',
      data: { datasets: datasets(look) },
      options: {
        scales: { x: axis(look, 'time (s)', { type: 'linear', min: 0, bounds: 'data', afterBuildTicks: withoutEnd }), y: scale(look, unit) },
        plugins: tooltip((item) => `until ${item.parsed.x} s`, named(unit)),
      },
    }),
  });
  const fromZero = (look, title) => axis(look, title, { type: 'linear', min: 0 });
  const any = (data) => data.some((point) => point.y !== null);

  // One row: what the job did in each slice, and beside it the mean of the disks' own counters.
  const course = (tables) => {
    const table = readTable(tables[0]);
    const disks = tables[1] ? readTable(tables[1]) : null;
    const disk = disks && (disks.foot[0] || disks.rows[0]);
    const series = (column) => table.rows.map((row) => ({ x: Number(row.name), y: row.cells[column].value }));
    const mean = (column) => {
      const value = disk ? disk.cells[column].value : null;
      const end = Number(table.rows[table.rows.length - 1].name);
      return [{ x: 0, y: value }, { x: end, y: value }];
    };
    const lines = (parts) => (look) => parts.filter((part) => any(part.data))
      .map((part) => line(look, part.colour, part.label, part.data, part.more));
    const dashed = { borderDash: [6, 4] };
    const diskLabel = disk ? `${disk.name}, mean of its own counters` : '';
    const throughput = lines([
      { colour: 0, label: 'job', data: series(0) },
      { colour: 1, label: diskLabel, data: mean(0), more: dashed },
    ]);
    const latencies = lines([
      { colour: 2, label: 'p50', data: series(2) },
      { colour: 0, label: 'p99', data: series(3) },
      { colour: 3, label: 'longest', data: series(4), more: { borderWidth: 1 } },
      { colour: 1, label: diskLabel, data: mean(2).map((p) => (p.y > 0 ? p : { ...p, y: null })), more: dashed },
    ]);
    const all = [timeChart('Throughput', 'MB/s', fromZero, throughput)];
    if ([2, 3, 4].some((column) => any(series(column)))) all.push(timeChart('Latency', 'us', logAxis, latencies));
    return all;
  };

  // One row on several sides.
  const sides = (tables) => {
    const table = readTable(tables[0]);
    const names = [...new Set(table.rows.map((row) => row.name))];
    const series = (name, column) => table.rows.filter((row) => row.name === name)
      .map((row) => ({ x: row.cells[0].value, y: row.cells[column].value }));
    const lines = (column) => (look) => names.map((name, i) => line(look, i, name, series(name, column)));
    const all = [timeChart('Throughput', 'MB/s', fromZero, lines(1))];
    if (names.some((name) => any(series(name, 2)))) all.push(timeChart('p99 latency', 'us', logAxis, lines(2)));
    return all;
  };

  const rowsHeight = (rows, each) => Math.max(140, 70 + rows * each);

  // Upper bar: the whole as the application sees it. Lower bar: its parts.
  const layers = (tables) => {
    const table = readTable(tables[0]);
    const names = table.rows.map((row) => row.name);
    const bars = (look) => table.heads.map((head, i) => ({
      label: head.replace(/ \(us\)$/, ''), data: table.rows.map((row) => row.cells[i].value),
      backgroundColor: look.colours[i % kColours], borderColor: look.page, borderWidth: 1, stack: i === 0 ? 'whole' : 'parts',
    }));
    const config = (look) => ({
      type: 'bar',
      data: { labels: names.map(short), datasets: bars(look) },
      options: {
        indexAxis: 'y',
        interaction: { mode: 'nearest', axis: 'y', intersect: true },
        scales: {
          x: axis(look, 'mean latency (us)', { stacked: true, min: 0, ticks: { maxRotation: 0 } }),
          y: axis(look, '', { stacked: true, ticks: { autoSkip: false } }),
        },
        plugins: tooltip((item) => names[item.dataIndex], (item) => `${item.dataset.label}: ${plain(item.parsed.x)} us`),
      },
    });
    return [{ title: table.caption, height: rowsHeight(names.length, 46), config }];
  };

  const dots = (look, colour, label, data) => ({
    label, data, backgroundColor: colour, borderColor: look.page, borderWidth: 1, pointRadius: 5, showLine: false,
  });

  const repeats = (tables) => {
    const table = readTable(tables[0]);
    const names = table.rows.map((row) => row.name);
    const points = table.rows.flatMap((row, y) => row.cells.map((cell, i) => ({ x: cell.value, y, head: table.heads[i] })))
      .filter((point) => point.x !== null);
    const positive = points.every((point) => point.x > 0);
    const config = (look) => ({
      type: 'scatter',
      data: { datasets: [dots(look, look.colours[0], 'a repeat', points)] },
      options: {
        interaction: { mode: 'nearest', axis: 'xy', intersect: true },
        scales: { x: (positive ? logAxis : fromZero)(look, table.caption), y: namesAxis(look, names) },
        plugins: tooltip((item) => names[item.parsed.y], (item) => `${item.raw.head}: ${plain(item.parsed.x)}`),
      },
    });
    return [{ title: table.caption, height: rowsHeight(names.length, 30), config }];
  };

  // A forest plot: ratio and interval around 1.
  const ratios = (tables) => {
    const table = readTable(tables[0]);
    const manySides = new Set(table.rows.map((row) => row.cells[0].text)).size > 1;
    const names = table.rows.map((row) => (manySides ? `${row.name}, ${row.cells[0].text}` : row.name));
    const colourOf = (look, word) => (word === 'better' ? look.good : word === 'worse' ? look.bad : look.quiet);
    const words = [...new Set(table.rows.map((row) => row.cells[4].text))];
    const of = (word) => table.rows.map((row, y) => ({ row, y })).filter(({ row }) => row.cells[4].text === word);
    const interval = ({ row, y }) => {
      const [low, high] = [row.cells[2].value, row.cells[3].value];
      return low > 0 && high > 0 ? [{ x: low, y }, { x: high, y }, { x: NaN, y: NaN }] : [];
    };
    const datasets = (look) => words.flatMap((word) => [
      dots(look, colourOf(look, word), word, of(word).map(({ row, y }) => ({ x: row.cells[1].value, y }))),
      {
        label: `${word}, interval`, data: of(word).flatMap(interval), showLine: true, borderColor: colourOf(look, word),
        borderWidth: 3, pointRadius: 0, pointHitRadius: 0, spanGaps: false,
      },
    ]);
    const config = (look) => ({
      type: 'scatter',
      data: { datasets: datasets(look) },
      options: {
        interaction: { mode: 'nearest', axis: 'xy', intersect: true },
        scales: {
          x: logAxis(look, 'ratio; 1 is no difference', {
            suggestedMin: 0.9, suggestedMax: 1.1,
            grid: {
              color: (context) => (context.tick && context.tick.value === 1 ? look.text : look.line),
              lineWidth: (context) => (context.tick && context.tick.value === 1 ? 2 : 1),
            },
          }),
          y: namesAxis(look, names),
        },
        plugins: tooltip((item) => names[item.parsed.y], (item) => `ratio ${item.parsed.x}`),
      },
    });
    return [{ title: table.caption, height: rowsHeight(names.length, 24), legend: false, config }];
  };

  return { theme, kinds: { latency, course, sides, layers, repeats, ratios } };
})();
