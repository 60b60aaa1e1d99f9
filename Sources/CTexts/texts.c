#include "CTexts.h"

#include <string.h>

#pragma clang diagnostic ignored "-Wc23-extensions"

/* The C compiler embeds a file of any size at once; the Swift compiler needs minutes for the same bytes
   as an array. The texts end with a zero byte. */
static const struct {
    const char *name;
    const char *text;
} texts[] = {
    {"completion.bash", (const char[]){
#embed "../SignetCommands/Options/Scripts/completion.bash" suffix(, 0)
     }},
    {"completion.fish", (const char[]){
#embed "../SignetCommands/Options/Scripts/completion.fish" suffix(, 0)
     }},
    {"completion.zsh", (const char[]){
#embed "../SignetCommands/Options/Scripts/completion.zsh" suffix(, 0)
     }},
    {"codes.txt", (const char[]){
#embed "../SignetCommands/Output/Words/codes.txt" suffix(, 0)
     }},
    {"levels.txt", (const char[]){
#embed "../SignetCommands/Output/Words/levels.txt" suffix(, 0)
     }},
    {"sentences.txt", (const char[]){
#embed "../SignetCommands/Output/Words/sentences.txt" suffix(, 0)
     }},
    {"arabic.txt", (const char[]){
#embed "../SignetCommands/Reports/Words/arabic.txt" suffix(, 0)
     }},
    {"chinese.txt", (const char[]){
#embed "../SignetCommands/Reports/Words/chinese.txt" suffix(, 0)
     }},
    {"czech.txt", (const char[]){
#embed "../SignetCommands/Reports/Words/czech.txt" suffix(, 0)
     }},
    {"english.txt", (const char[]){
#embed "../SignetCommands/Reports/Words/english.txt" suffix(, 0)
     }},
    {"french.txt", (const char[]){
#embed "../SignetCommands/Reports/Words/french.txt" suffix(, 0)
     }},
    {"german.txt", (const char[]){
#embed "../SignetCommands/Reports/Words/german.txt" suffix(, 0)
     }},
    {"italian.txt", (const char[]){
#embed "../SignetCommands/Reports/Words/italian.txt" suffix(, 0)
     }},
    {"polish.txt", (const char[]){
#embed "../SignetCommands/Reports/Words/polish.txt" suffix(, 0)
     }},
    {"report.css", (const char[]){
#embed "../SignetCommands/Reports/Words/report.css" suffix(, 0)
     }},
    {"slovak.txt", (const char[]){
#embed "../SignetCommands/Reports/Words/slovak.txt" suffix(, 0)
     }},
    {"spanish.txt", (const char[]){
#embed "../SignetCommands/Reports/Words/spanish.txt" suffix(, 0)
     }},
    {"ukrainian.txt", (const char[]){
#embed "../SignetCommands/Reports/Words/ukrainian.txt" suffix(, 0)
     }},
    {"certificate-1.json", (const char[]){
#embed "../../Scripts/schema/certificate-1.json" suffix(, 0)
     }},
    {"cms-1.json", (const char[]){
#embed "../../Scripts/schema/cms-1.json" suffix(, 0)
     }},
    {"config-1.json", (const char[]){
#embed "../../Scripts/schema/config-1.json" suffix(, 0)
     }},
    {"container-1.json", (const char[]){
#embed "../../Scripts/schema/container-1.json" suffix(, 0)
     }},
    {"convert-1.json", (const char[]){
#embed "../../Scripts/schema/convert-1.json" suffix(, 0)
     }},
    {"crl-1.json", (const char[]){
#embed "../../Scripts/schema/crl-1.json" suffix(, 0)
     }},
    {"csr-1.json", (const char[]){
#embed "../../Scripts/schema/csr-1.json" suffix(, 0)
     }},
    {"doctor-1.json", (const char[]){
#embed "../../Scripts/schema/doctor-1.json" suffix(, 0)
     }},
    {"error-1.json", (const char[]){
#embed "../../Scripts/schema/error-1.json" suffix(, 0)
     }},
    {"evidence-record-1.json", (const char[]){
#embed "../../Scripts/schema/evidence-record-1.json" suffix(, 0)
     }},
    {"extend-1.json", (const char[]){
#embed "../../Scripts/schema/extend-1.json" suffix(, 0)
     }},
    {"field-add-1.json", (const char[]){
#embed "../../Scripts/schema/field-add-1.json" suffix(, 0)
     }},
    {"field-list-1.json", (const char[]){
#embed "../../Scripts/schema/field-list-1.json" suffix(, 0)
     }},
    {"hash-1.json", (const char[]){
#embed "../../Scripts/schema/hash-1.json" suffix(, 0)
     }},
    {"hash-sign-1.json", (const char[]){
#embed "../../Scripts/schema/hash-sign-1.json" suffix(, 0)
     }},
    {"hash-verify-1.json", (const char[]){
#embed "../../Scripts/schema/hash-verify-1.json" suffix(, 0)
     }},
    {"identity-1.json", (const char[]){
#embed "../../Scripts/schema/identity-1.json" suffix(, 0)
     }},
    {"journal-1.json", (const char[]){
#embed "../../Scripts/schema/journal-1.json" suffix(, 0)
     }},
    {"key-1.json", (const char[]){
#embed "../../Scripts/schema/key-1.json" suffix(, 0)
     }},
    {"key-list-1.json", (const char[]){
#embed "../../Scripts/schema/key-list-1.json" suffix(, 0)
     }},
    {"ocsp-1.json", (const char[]){
#embed "../../Scripts/schema/ocsp-1.json" suffix(, 0)
     }},
    {"pdf-1.json", (const char[]){
#embed "../../Scripts/schema/pdf-1.json" suffix(, 0)
     }},
    {"photo-1.json", (const char[]){
#embed "../../Scripts/schema/photo-1.json" suffix(, 0)
     }},
    {"pkcs12-1.json", (const char[]){
#embed "../../Scripts/schema/pkcs12-1.json" suffix(, 0)
     }},
    {"remote-1.json", (const char[]){
#embed "../../Scripts/schema/remote-1.json" suffix(, 0)
     }},
    {"service-key-list-1.json", (const char[]){
#embed "../../Scripts/schema/service-key-list-1.json" suffix(, 0)
     }},
    {"sign-1.json", (const char[]){
#embed "../../Scripts/schema/sign-1.json" suffix(, 0)
     }},
    {"skipped-1.json", (const char[]){
#embed "../../Scripts/schema/skipped-1.json" suffix(, 0)
     }},
    {"summary-1.json", (const char[]){
#embed "../../Scripts/schema/summary-1.json" suffix(, 0)
     }},
    {"timestamp-1.json", (const char[]){
#embed "../../Scripts/schema/timestamp-1.json" suffix(, 0)
     }},
    {"timestamp-reply-1.json", (const char[]){
#embed "../../Scripts/schema/timestamp-reply-1.json" suffix(, 0)
     }},
    {"timestamp-request-1.json", (const char[]){
#embed "../../Scripts/schema/timestamp-request-1.json" suffix(, 0)
     }},
    {"trust-anchors-1.json", (const char[]){
#embed "../../Scripts/schema/trust-anchors-1.json" suffix(, 0)
     }},
    {"trust-import-1.json", (const char[]){
#embed "../../Scripts/schema/trust-import-1.json" suffix(, 0)
     }},
    {"trust-list-1.json", (const char[]){
#embed "../../Scripts/schema/trust-list-1.json" suffix(, 0)
     }},
    {"trust-update-1.json", (const char[]){
#embed "../../Scripts/schema/trust-update-1.json" suffix(, 0)
     }},
    {"tsp-serve-1.json", (const char[]){
#embed "../../Scripts/schema/tsp-serve-1.json" suffix(, 0)
     }},
    {"verify-1.json", (const char[]){
#embed "../../Scripts/schema/verify-1.json" suffix(, 0)
     }},
};

#define COUNT (sizeof texts / sizeof *texts)

const char *CTexts_name(size_t index) {
    return index < COUNT ? texts[index].name : NULL;
}

const char *CTexts_text(const char *name) {
    for (size_t index = 0; index < COUNT; index++)
        if (strcmp(texts[index].name, name) == 0)
            return texts[index].text;
    return NULL;
}

const char *CTexts_row(const char *name, const char *key, size_t *length) {
    size_t key_length = strlen(key);
    for (const char *line = CTexts_text(name); line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, key_length) == 0 && strncmp(line + key_length, ": ", 2) == 0) {
            const char *text = line + key_length + 2;
            *length = strcspn(text, "\n");
            return text;
        }
    }
    return NULL;
}
