/* Stands for the half of Windows' shortcuts that Wine 8 only pretends to have: properties.
 * Shortcuts themselves stay Wine's; a property that is set before a shortcut is saved is written
 * behind it as MS-SHLLINK says (2.5.7, PropertyStoreDataBlock). One at a time, no threads. */
#define COBJMACROS
#include <windows.h>
#include <shobjidl.h>
#include <propsys.h>
#include <stdio.h>
#include <string.h>

static IShellLinkWVtbl link_table;
static IPropertyStoreVtbl store_table;
static IPersistFileVtbl file_table;
static const IShellLinkWVtbl *link_of_wine;
static const IPersistFileVtbl *file_of_wine;
static PROPERTYKEY key;
static WCHAR text[256];

static HRESULT WINAPI set_value(IPropertyStore *store, REFPROPERTYKEY which, REFPROPVARIANT value)
{
    (void)store;
    if (value->vt != VT_LPWSTR || wcslen(value->pwszVal) > 255)
        return E_INVALIDARG;
    key = *which;
    wcscpy(text, value->pwszVal);
    return S_OK;
}

static void put(FILE *file, DWORD number) { fwrite(&number, 4, 1, file); }

static HRESULT WINAPI save(IPersistFile *one, LPCOLESTR name, BOOL remember)
{
    DWORD letters = wcslen(text) + 1, padded = (letters + 1) / 2 * 4;
    HRESULT done = file_of_wine->Save(one, name, remember);
    FILE *file;

    if (FAILED(done) || !text[0] || !(file = _wfopen(name, L"r+b")))
        return done;
    fseek(file, -4, SEEK_END); /* the empty block that ends a shortcut */
    DWORD value = 4 + 4 + 1 + 2 + 2 + 4 + padded, storage = 4 + 4 + 16 + value + 4;
    put(file, 8 + storage + 4);
    put(file, 0xA0000009);
    put(file, storage);
    put(file, 0x53505331);
    fwrite(&key.fmtid, 16, 1, file);
    put(file, value);
    put(file, key.pid);
    fputc(0, file);
    put(file, VT_LPWSTR);
    put(file, letters);
    WCHAR whole[258] = {0};
    wcscpy(whole, text);
    fwrite(whole, padded, 1, file);
    put(file, 0); /* end of the values */
    put(file, 0); /* end of the storages */
    put(file, 0); /* end of the blocks */
    fclose(file);
    text[0] = 0;
    return done;
}

static HRESULT WINAPI ask(IShellLinkW *one, REFIID what, void **found)
{
    HRESULT done = link_of_wine->QueryInterface(one, what, found);

    if (SUCCEEDED(done) && IsEqualIID(what, &IID_IPropertyStore)) {
        IPropertyStore *store = *found;
        if (store->lpVtbl != &store_table) {
            store_table = *store->lpVtbl;
            store_table.SetValue = set_value;
            store->lpVtbl = &store_table;
        }
    }
    if (SUCCEEDED(done) && IsEqualIID(what, &IID_IPersistFile)) {
        IPersistFile *file = *found;
        if (file->lpVtbl != &file_table) {
            file_of_wine = file->lpVtbl;
            file_table = *file->lpVtbl;
            file_table.Save = save;
            file->lpVtbl = &file_table;
        }
    }
    return done;
}

static HRESULT WINAPI make(IClassFactory *factory, IUnknown *outer, REFIID what, void **made)
{
    HRESULT(WINAPI * of_shell32)(REFCLSID, REFIID, void **);
    IClassFactory *wines;
    IShellLinkW *one;
    HRESULT done;

    (void)factory, (void)outer;
    of_shell32 = (void *)GetProcAddress(LoadLibraryA("shell32"), "DllGetClassObject");
    if (FAILED(done = of_shell32(&CLSID_ShellLink, &IID_IClassFactory, (void **)&wines)))
        return done;
    done = IClassFactory_CreateInstance(wines, NULL, &IID_IShellLinkW, (void **)&one);
    if (FAILED(done))
        return done;
    link_of_wine = one->lpVtbl;
    link_table = *one->lpVtbl;
    link_table.QueryInterface = ask;
    one->lpVtbl = &link_table;
    done = IShellLinkW_QueryInterface(one, what, made);
    IShellLinkW_Release(one);
    return done;
}

static HRESULT WINAPI ask_factory(IClassFactory *one, REFIID what, void **found)
{
    (void)what;
    *found = one;
    return S_OK;
}
static ULONG WINAPI count(IClassFactory *one) { return one != NULL; }
static HRESULT WINAPI lock(IClassFactory *one, BOOL on) { (void)one, (void)on; return S_OK; }

__declspec(dllexport) HRESULT WINAPI DllGetClassObject(REFCLSID which, REFIID what, void **found)
{
    static IClassFactoryVtbl table = {ask_factory, count, count, make, lock};
    static IClassFactory factory = {&table};

    (void)which;
    return ask_factory(&factory, what, found);
}
