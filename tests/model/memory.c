#include "memory.h"

#include <math.h>
#include <stdlib.h>

enum { SMALL_PAGE = 4096, HUGE_PAGE = 2 << 20, PHYSICAL_BITS = 31 };
static const uint32_t no_page = UINT32_MAX;

/* --- the order of use --- */

static bool recency_create(struct recency *recency, uint32_t pages)
{
    *recency = (struct recency){.before = calloc(pages + 1, sizeof *recency->before),
                                .after = calloc(pages + 1, sizeof *recency->after),
                                .present = calloc(pages, sizeof *recency->present),
                                .pages = pages};
    if (!recency->before || !recency->after || !recency->present)
        return false;
    recency->before[pages] = recency->after[pages] = pages;
    return true;
}

static void unlink_page(struct recency *recency, uint32_t page)
{
    recency->after[recency->before[page]] = recency->after[page];
    recency->before[recency->after[page]] = recency->before[page];
}

static void link_first(struct recency *recency, uint32_t page)
{
    uint32_t end = recency->pages, first = recency->after[end];
    recency->before[page] = end;
    recency->after[page] = first;
    recency->before[first] = page;
    recency->after[end] = page;
}

static bool recency_use(struct recency *recency, uint32_t page, uint32_t entries)
{
    bool hit = recency->present[page];
    if (hit) {
        unlink_page(recency, page);
    } else if (recency->count == entries) {
        uint32_t oldest = recency->before[recency->pages];
        unlink_page(recency, oldest);
        recency->present[oldest] = false;
    } else {
        recency->count++;
    }
    recency->present[page] = true;
    link_first(recency, page);
    return hit;
}

static void recency_clear(struct recency *recency)
{
    uint32_t end = recency->pages;
    for (uint32_t page = recency->after[end]; page != end; page = recency->after[page])
        recency->present[page] = false;
    recency->before[end] = recency->after[end] = end;
    recency->count = 0;
}

/* --- translation --- */

static bool tlb_create(struct tlb *tlb, const struct model_tlb *machine, uint32_t pages)
{
    *tlb = (struct tlb){.machine = machine, .entries = machine->entries};
    if (machine->entries == 0)
        return true;
    if (machine->ways == 0)
        return recency_create(&tlb->recency, pages);
    tlb->way_of = calloc(pages, CACHE_PLACES);
    return tlb->way_of && cache_create(&tlb->cache, machine->entries / machine->ways, machine->ways,
                                       MODEL_LRU, false, tlb->way_of);
}

static void tlb_free(struct tlb *tlb)
{
    cache_free(&tlb->cache);
    free(tlb->way_of);
    free(tlb->recency.before);
    free(tlb->recency.after);
    free(tlb->recency.present);
}

/* Notes the use of a page, and says whether the TLB held it. */
static bool tlb_use(struct tlb *tlb, uint32_t page)
{
    if (tlb->machine->entries == 0)
        return false;
    if (tlb->machine->ways == 0)
        return recency_use(&tlb->recency, page, tlb->entries);
    if (cache_hit(&tlb->cache, page, page))
        return true;
    cache_insert(&tlb->cache, page, page);
    return false;
}

static void tlb_clear(struct tlb *tlb, size_t first, size_t end)
{
    if (tlb->machine->entries == 0)
        return;
    if (tlb->machine->ways == 0)
        recency_clear(&tlb->recency);
    else
        cache_clear(&tlb->cache, first, end);
}

static uint64_t translate(struct memory *memory, uint32_t page)
{
    struct tlb *tlbs = memory->tlbs[memory->pages];
    memory->last_page = page;
    if (tlb_use(&tlbs[0], page))
        return 0;
    memory->missed++;
    const bool held = tlb_use(&tlbs[1], page);
    memory->tally.second += held;
    memory->tally.walks += !held;
    return held ? memory->tlb_ps : memory->walk_ps;
}

/* --- caches --- */

/* Where a line lies in physical memory, in lines. */
static uint32_t physical_line(const struct memory *memory, uint32_t line)
{
    uint32_t page = line >> memory->page_shift, within = (1u << memory->page_shift) - 1;
    uint64_t frame = random_mix(memory->frames + page) & memory->frame_mask;
    return (uint32_t)frame << memory->page_shift | (line & within);
}

static uint32_t index_at(const struct memory *memory, unsigned level, uint32_t line,
                         uint32_t physical)
{
    return memory->machine->caches[level].physical ? physical : line;
}

static void put_in(struct memory *memory, unsigned level, uint32_t line, uint32_t physical)
{
    const struct model_machine *machine = memory->machine;
    uint32_t victim =
        cache_insert(&memory->caches[level], line, index_at(memory, level, line, physical));
    if (!victim--)
        return;
    uint32_t where = physical_line(memory, victim);
    if (level > 0 && machine->caches[level].filling == MODEL_INCLUSIVE)
        for (unsigned above = 0; above < level; above++)
            cache_remove(&memory->caches[above], victim, index_at(memory, above, victim, where));
    unsigned below = level + 1;
    if (below < machine->level_count && machine->caches[below].filling == MODEL_EXCLUSIVE &&
        !memory->ways[victim][below])
        put_in(memory, below, victim, where);
}

/* The first level that holds the line; the number of levels where none does. */
static unsigned look_up(struct memory *memory, uint32_t line, uint32_t physical)
{
    unsigned level = 0, levels = memory->machine->level_count;
    while (level < levels &&
           !cache_hit(&memory->caches[level], line, index_at(memory, level, line, physical)))
        level++;
    return level;
}

/* Brings a line that was found at `found` into the levels above it. */
static void bring(struct memory *memory, unsigned found, uint32_t line, uint32_t physical)
{
    const struct model_cache *caches = memory->machine->caches;
    if (found < memory->machine->level_count && caches[found].filling == MODEL_EXCLUSIVE)
        cache_remove(&memory->caches[found], line, index_at(memory, found, line, physical));
    for (unsigned level = found; level-- > 0;)
        if (level == 0 || caches[level].filling != MODEL_EXCLUSIVE)
            put_in(memory, level, line, physical);
}

/* --- DRAM --- */

static uint64_t load_row(struct memory *memory, uint32_t physical)
{
    const struct model_machine *machine = memory->machine;
    uint64_t row = ((uint64_t)physical << memory->line_shift) / machine->row_bytes;
    uint64_t bank = row % machine->banks;
    bool open = memory->open_row[bank] == row + 1;
    memory->open_row[bank] = row + 1;
    memory->tally.row_hits += open;
    memory->tally.row_misses += !open;
    return open ? memory->row_hit_ps : memory->row_miss_ps;
}

/* --- streams --- */

static void note_touched(struct memory *memory, uint32_t line)
{
    if (line < memory->first)
        memory->first = line;
    if (line >= memory->end)
        memory->end = line + 1;
}

/* Two steps of the same length in a row are a stream; what it will want is brought into the first
 * level, some steps ahead. */
static void prefetch(struct memory *memory, uint32_t line)
{
    const struct model_machine *machine = memory->machine;
    int64_t step = (int64_t)line - memory->last_line;
    bool stream = step != 0 && step == memory->last_step &&
                  step <= (int64_t)machine->prefetch_lines &&
                  step >= (machine->prefetch_backward ? -(int64_t)machine->prefetch_lines : 0);
    memory->last_line = line;
    memory->last_step = step;
    for (int64_t ahead = 1; stream && ahead <= machine->prefetch_depth; ahead++) {
        int64_t wanted = (int64_t)line + ahead * step;
        if (wanted < 0 || wanted >= (int64_t)memory->lines)
            return;
        uint32_t next = (uint32_t)wanted;
        if (!machine->prefetch_across_pages &&
            next >> memory->page_shift != line >> memory->page_shift)
            return;
        if (memory->ways[next][0])
            continue;
        uint32_t physical = physical_line(memory, next);
        note_touched(memory, next);
        bring(memory, look_up(memory, next, physical), next, physical);
    }
}

void memory_expect(const struct memory *memory, uint32_t line)
{
    const struct model_machine *machine = memory->machine;
    unsigned last = machine->level_count - 1;
    __builtin_prefetch(memory->ways[line]);
    if (machine->caches[last].physical)
        cache_expect(&memory->caches[last], physical_line(memory, line));
    else
        cache_expect(&memory->caches[last], line);
}

uint64_t memory_access(struct memory *memory, uint32_t line)
{
    const struct model_machine *machine = memory->machine;
    uint32_t page = line >> memory->page_shift;
    uint64_t ps = page == memory->last_page ? 0 : translate(memory, page);
    uint32_t physical = physical_line(memory, line);
    unsigned level = look_up(memory, line, physical);
    if (level < machine->level_count)
        memory->tally.hits[level]++;
    ps += level < machine->level_count ? memory->hit_ps[level] : load_row(memory, physical);
    if (level > 0) {
        memory->missed++;
        note_touched(memory, line);
        bring(memory, level, line, physical);
    }
    if (machine->prefetch_depth)
        prefetch(memory, line);
    return ps;
}

/* --- a machine's memory, from trial to trial --- */

bool memory_create(struct memory *memory, const struct model_machine *machine, size_t bytes)
{
    size_t pages = (bytes + SMALL_PAGE - 1) / SMALL_PAGE;
    *memory = (struct memory){.machine = machine,
                              .lines = bytes / machine->line_bytes,
                              .line_shift = (unsigned)__builtin_ctz(machine->line_bytes)};
    memory->ways = calloc(memory->lines, sizeof *memory->ways);
    bool done = memory->ways;
    for (unsigned level = 0; level < machine->level_count && done; level++) {
        const struct model_cache *cache = &machine->caches[level];
        done =
            cache_create(&memory->caches[level], cache->bytes / machine->line_bytes / cache->ways,
                         cache->ways, cache->replacement, cache->hashed, &memory->ways[0][level]);
    }
    for (unsigned i = 0; i < 4 && done; i++)
        done =
            tlb_create(&memory->tlbs[i / 2][i % 2], &machine->tlbs[i / 2][i % 2], (uint32_t)pages);
    if (!done)
        memory_free(memory);
    else
        memory_set_pace(memory, machine->core_hz, 1, 1);
    return done;
}

void memory_free(struct memory *memory)
{
    for (unsigned level = 0; level < MODEL_LEVELS_MAX; level++)
        cache_free(&memory->caches[level]);
    for (unsigned i = 0; i < 4; i++)
        tlb_free(&memory->tlbs[i / 2][i % 2]);
    free(memory->ways);
    *memory = (struct memory){0};
}

void memory_renew(struct memory *memory, enum model_pages pages, uint64_t seed)
{
    struct random random = {seed};
    if (memory->end < memory->first) /* nothing was touched */
        memory->first = memory->end = 0;
    for (unsigned level = 0; level < memory->machine->level_count; level++) {
        struct cache *cache = &memory->caches[level];
        cache_clear(cache, memory->first, memory->end);
        cache->ways_now = cache->ways;
        cache->random = (struct random){random_next(&random)};
    }
    unsigned old_shift = memory->page_shift;
    for (unsigned i = 0; i < 4; i++) {
        struct tlb *tlb = &memory->tlbs[i / 2][i % 2];
        tlb->entries = tlb->machine->entries;
        tlb->cache.ways_now = tlb->cache.ways;
    }
    for (unsigned i = 0; i < 2 && memory->end > memory->first; i++)
        tlb_clear(&memory->tlbs[memory->pages][i], memory->first >> old_shift,
                  ((memory->end - 1) >> old_shift) + 1);
    memory->pages = pages;
    uint32_t page = pages == MODEL_HUGE_PAGES ? HUGE_PAGE : SMALL_PAGE;
    memory->page_shift = (unsigned)__builtin_ctz(page) - memory->line_shift;
    memory->frames = random_next(&random);
    memory->frame_mask = (UINT32_C(1) << PHYSICAL_BITS) / page - 1;
    memory->first = memory->lines;
    memory->end = 0;
    memory->last_page = no_page;
    memory->last_line = memory->last_step = 0;
    memory->missed = 0;
    for (unsigned bank = 0; bank < MEMORY_BANKS_MAX; bank++)
        memory->open_row[bank] = 0;
}

static uint64_t picoseconds(double cycles, double core_hz, double ns)
{
    return (uint64_t)llround(cycles * 1e12 / core_hz + ns * 1e3);
}

void memory_set_pace(struct memory *memory, double core_hz, double uncore_ratio, double dram_ratio)
{
    const struct model_machine *machine = memory->machine;
    for (unsigned level = 0; level < machine->level_count; level++) {
        const struct model_cache *cache = &machine->caches[level];
        memory->hit_ps[level] = picoseconds(cache->cycles, core_hz, cache->ns * uncore_ratio);
    }
    double dram = uncore_ratio * dram_ratio;
    memory->row_hit_ps = picoseconds(machine->dram_cycles, core_hz, machine->row_hit_ns * dram);
    memory->row_miss_ps = picoseconds(machine->dram_cycles, core_hz, machine->row_miss_ns * dram);
    memory->tlb_ps = picoseconds(machine->tlbs[memory->pages][1].cycles, core_hz, 0);
    memory->walk_ps = picoseconds(machine->walk_cycles[memory->pages], core_hz, 0);
}

void memory_share_last_level(struct memory *memory, bool shared)
{
    struct cache *last = &memory->caches[memory->machine->level_count - 1];
    last->ways_now = shared ? last->ways / 2 : last->ways;
}

struct memory_room memory_all_room(const struct model_machine *machine, enum model_pages pages)
{
    struct memory_room room = {{0}, {0}};
    for (unsigned level = 0; level < machine->level_count; level++)
        room.ways[level] = machine->caches[level].ways;
    for (unsigned i = 0; i < 2; i++) {
        const struct model_tlb *tlb = &machine->tlbs[pages][i];
        room.entries[i] = tlb->ways ? tlb->ways : tlb->entries;
    }
    return room;
}

void memory_limit(struct memory *memory, const struct memory_room *room)
{
    for (unsigned level = 0; level < memory->machine->level_count; level++)
        memory->caches[level].ways_now = room->ways[level];
    for (unsigned i = 0; i < 2; i++) {
        struct tlb *tlb = &memory->tlbs[memory->pages][i];
        if (tlb->machine->ways)
            tlb->cache.ways_now = room->entries[i];
        else
            tlb->entries = room->entries[i];
    }
}
