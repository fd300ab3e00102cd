// What TraceStreamer does for the heaps in an .htrace container, and no more: every message and then every heap is parsed with
// nlohmann::json, its values are copied into one vector for each column, and the rows go to SQLite. Our own program; it has no
// defects on purpose, and leaves out threads, queues and virtual tables, so it is faster than TraceStreamer.
//
//     g++ -O2 tracestreamer.cpp -lsqlite3 -o tracestreamer
//     tracestreamer INPUT.htrace OUTPUT.db

#include <sqlite3.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

using nlohmann::json;

namespace {

[[noreturn]] void fail(const std::string& message) {
    std::fprintf(stderr, "error: %s\n", message.c_str());
    std::exit(1);
}

class Database {
public:
    explicit Database(const char* path) {
        std::remove(path);
        if (sqlite3_open(path, &db_) != SQLITE_OK) fail("cannot open the database");
        run("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN;");
        run("CREATE TABLE js_heap_nodes(file_id, node_index, type, name, id, self_size, edge_count, trace_node_id, detachedness);"
            "CREATE TABLE js_heap_edges(file_id, edge_index, type, name_or_index, to_node, from_node_id, to_node_id);"
            "CREATE TABLE js_heap_string(file_id, file_index, string);"
            "CREATE TABLE js_heap_sample(file_id, timestamp_us, last_assigned_id);"
            "CREATE TABLE js_heap_trace_function_info(file_id, function_index, function_id, name, script_name, script_id, line, column);"
            "CREATE TABLE js_heap_trace_node(file_id, id, function_info_index, count, size, parent_id);");
    }

    ~Database() {
        run("COMMIT;");
        sqlite3_close(db_);
    }

    void run(const char* sql) {
        if (sqlite3_exec(db_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail(sqlite3_errmsg(db_));
    }

    // One row for each value of the columns, behind the number of the file and, if wanted, the number of the row.
    void insert(const char* table, int file, bool numbered, const std::vector<const std::vector<int64_t>*>& columns) {
        std::string sql = std::string("INSERT INTO ") + table + " VALUES(?" + (numbered ? ",?" : "");
        for (size_t i = 0; i < columns.size(); ++i) sql += ",?";
        sqlite3_stmt* statement = nullptr;
        if (sqlite3_prepare_v2(db_, (sql + ")").c_str(), -1, &statement, nullptr) != SQLITE_OK) fail(sqlite3_errmsg(db_));
        for (size_t row = 0; row < columns[0]->size(); ++row) {
            int at = 1;
            sqlite3_bind_int(statement, at++, file);
            if (numbered) sqlite3_bind_int64(statement, at++, static_cast<int64_t>(row));
            for (const auto* column : columns) sqlite3_bind_int64(statement, at++, (*column)[row]);
            if (sqlite3_step(statement) != SQLITE_DONE) fail(sqlite3_errmsg(db_));
            sqlite3_reset(statement);
        }
        sqlite3_finalize(statement);
    }

    void insert_strings(int file, const std::vector<std::string>& strings) {
        sqlite3_stmt* statement = nullptr;
        sqlite3_prepare_v2(db_, "INSERT INTO js_heap_string VALUES(?,?,?)", -1, &statement, nullptr);
        for (size_t row = 0; row < strings.size(); ++row) {
            sqlite3_bind_int(statement, 1, file);
            sqlite3_bind_int64(statement, 2, static_cast<int64_t>(row));
            sqlite3_bind_text(statement, 3, strings[row].data(), static_cast<int>(strings[row].size()), SQLITE_STATIC);
            if (sqlite3_step(statement) != SQLITE_DONE) fail(sqlite3_errmsg(db_));
            sqlite3_reset(statement);
        }
        sqlite3_finalize(statement);
    }

private:
    sqlite3* db_ = nullptr;
};

using Columns = std::vector<std::vector<int64_t>>;

// An array of records, as columns.
Columns records(const json& document, const char* name, size_t width) {
    Columns columns(width);
    size_t at = 0;
    if (!document.contains(name)) return columns;
    for (const auto& value : document.at(name)) columns[at++ % width].push_back(value.get<int64_t>());
    return columns;
}

void trace_nodes(const json& tree, int64_t parent, Columns& columns) {
    for (size_t at = 0; at + 5 <= tree.size(); at += 5) {
        for (size_t i = 0; i < 4; ++i) columns[i].push_back(tree[at + i].get<int64_t>());
        columns[4].push_back(parent);
        trace_nodes(tree[at + 4], tree[at].get<int64_t>(), columns);
    }
}

std::vector<const std::vector<int64_t>*> pointers(const Columns& columns, size_t count) {
    std::vector<const std::vector<int64_t>*> out;
    for (size_t i = 0; i < count; ++i) out.push_back(&columns[i]);
    return out;
}

void convert(const std::string& text, int file, Database& database) {
    const json document = json::parse(text);
    const size_t width = document.at("snapshot").at("meta").at("node_fields").size();
    Columns nodes = records(document, "nodes", width);
    // V8 leaves trace_node_id out where there is none.
    if (width < 7) nodes.resize(7, std::vector<int64_t>(nodes[0].size()));
    database.insert("js_heap_nodes", file, true, pointers(nodes, 7));

    Columns edges = records(document, "edges", 3);
    std::vector<int64_t> from, to;
    for (size_t node = 0; node < nodes[4].size(); ++node) from.insert(from.end(), nodes[4][node], nodes[2][node]);
    for (const int64_t target : edges[2]) to.push_back(nodes[2].at(target / width));
    edges.push_back(std::move(from));
    edges.push_back(std::move(to));
    database.insert("js_heap_edges", file, true, pointers(edges, 5));

    const Columns samples = records(document, "samples", 2);
    database.insert("js_heap_sample", file, false, pointers(samples, 2));
    const Columns functions = records(document, "trace_function_infos", 6);
    database.insert("js_heap_trace_function_info", file, true, pointers(functions, 6));
    Columns tree(5);
    if (document.contains("trace_tree")) trace_nodes(document.at("trace_tree"), -1, tree);
    database.insert("js_heap_trace_node", file, false, pointers(tree, 5));
    database.insert_strings(file, document.at("strings").get<std::vector<std::string>>());
}

// The value of a field of bytes in a message.
std::string field(const std::string& message, uint64_t wanted) {
    size_t at = 0;
    auto varint = [&] {
        uint64_t value = 0;
        for (int shift = 0; at < message.size(); shift += 7) {
            const auto byte = static_cast<uint8_t>(message[at++]);
            value |= static_cast<uint64_t>(byte & 0x7F) << shift;
            if (byte < 0x80) break;
        }
        return value;
    };
    while (at < message.size()) {
        const uint64_t key = varint(), value = varint();
        if ((key & 7) != 2) continue;
        if (key >> 3 == wanted) return message.substr(at, value);
        at += value;
    }
    return {};
}

}  // namespace

int main(int count, char** args) {
    if (count != 3) fail("INPUT.htrace OUTPUT.db");
    std::FILE* input = std::fopen(args[1], "rb");
    if (!input) fail("cannot open the input");
    std::fseek(input, 1024, SEEK_SET);
    Database database(args[2]);
    std::string text;
    int file = 0;
    uint32_t length = 0;
    while (std::fread(&length, sizeof length, 1, input) == 1) {
        std::string record(length, '\0');
        if (std::fread(record.data(), 1, length, input) != length) break;
        if (field(record, 1) != "arkts-plugin") continue;
        const std::string message = field(field(record, 3), 1);
        if (message == R"({"id":1,"result":{}})") {
            convert(text, file++, database);
            text.clear();
        } else if (message.find("\"chunk\"") != std::string::npos) {
            text += json::parse(message).at("params").at("chunk").get<std::string>();
        }
    }
    std::fclose(input);
}
